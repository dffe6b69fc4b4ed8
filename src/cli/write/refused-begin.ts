import type { CliContext } from '../context.ts';

/** More than one turn can record, so that the call is among them. */
const LIMIT = 200;

/**
 * Why a model could not begin a write session: the event says only that it failed, the trace says why. Undefined
 * when there is no trace to ask; the turn itself has told the model.
 */
export const reasonOfRefusedBegin = async (
  { traces }: Pick<CliContext, 'traces'>,
  { turnId, projectId }: { turnId: string; projectId: string },
  callId: string,
): Promise<string | undefined> => {
  try {
    const query = { projectId, requestId: turnId, type: 'tool_result', limit: LIMIT };
    const { events } = await traces.list(query);
    const result = events.findLast(({ details }) => JSON.stringify(details).includes(JSON.stringify(callId)));
    return result?.error ?? undefined;
  } catch {
    return undefined;
  }
};
