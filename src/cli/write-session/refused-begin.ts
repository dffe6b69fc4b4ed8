import { z } from 'zod';
import type { TraceClient } from '../http/trace-client.ts';

/** Largest number of traces that are read, newest first. Hardly any turn has more tool results. */
const MAX_TRACES = 200;

/** Why a model could not begin a write session. */
export interface RefusedBegin {
  readonly error: string;
  /** Names the session that prevents a new one, and the command that helps. Undefined if the gateway gave no reason. */
  readonly reason: string | undefined;
}

const detailsSchema = z.object({ details: z.object({ reason: z.string() }) });

/**
 * Reads from the trace why a model could not begin a write session, since the event says only that it failed. Returns
 * undefined when the trace cannot be read or does not say it. That is no failure, because the model itself has read the
 * reason.
 */
export const readRefusedBegin = async (
  { traces }: { readonly traces: TraceClient },
  { turnId, projectId }: { turnId: string; projectId: string },
  callId: string,
): Promise<RefusedBegin | undefined> => {
  try {
    const query = { projectId, turnId, type: 'tool_result', limit: MAX_TRACES };
    const { events } = await traces.list(query);
    const result = events.findLast(({ details }) => JSON.stringify(details).includes(JSON.stringify(callId)));
    if (typeof result?.error !== 'string') return undefined;
    return { error: result.error, reason: detailsSchema.safeParse(result.details).data?.details.reason };
  } catch {
    return undefined;
  }
};
