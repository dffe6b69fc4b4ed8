import { z } from 'zod';
import type { TraceCalls } from '../http/turn-calls.ts';

/** Traces that are read: more than one turn can record, so that the call is among them. */
const LIMIT = 200;

/** Why a model could not begin a write session. */
export interface RefusedBegin {
  readonly error: string;
  /** The session that is in the way, and the command that helps. */
  readonly reason: string | undefined;
}

const detailsSchema = z.object({ details: z.object({ reason: z.string() }) });

/**
 * Reads why a model could not begin a write session: the event says only that it failed, the trace says why. Undefined
 * when there is no trace to ask; the model knows the reason from the turn.
 */
export const readRefusedBegin = async (
  { traces }: { readonly traces: TraceCalls },
  { turnId, projectId }: { turnId: string; projectId: string },
  callId: string,
): Promise<RefusedBegin | undefined> => {
  try {
    const query = { projectId, requestId: turnId, type: 'tool_result', limit: LIMIT };
    const { events } = await traces.list(query);
    const result = events.findLast(({ details }) => JSON.stringify(details).includes(JSON.stringify(callId)));
    if (typeof result?.error !== 'string') return undefined;
    return { error: result.error, reason: detailsSchema.safeParse(result.details).data?.details.reason };
  } catch {
    return undefined;
  }
};
