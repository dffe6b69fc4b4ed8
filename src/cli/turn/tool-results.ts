import { z } from 'zod';
import type { CliContext } from '../command-context/cli-context.ts';

/** The parts of a traced result that are shown. The event of the result says only whether the call succeeded. */
const detailsSchema = z.object({
  toolCallId: z.string(),
  result: z.unknown().optional(),
  error: z.string().optional(),
});
/** The result of a tool call, or its error. Each is absent if the trace does not have it. */
export type ToolResultDetails = Pick<z.infer<typeof detailsSchema>, 'result' | 'error'>;

/**
 * Sizes of the pages that are read, beginning with the newest results. The first page is enough for a turn that runs.
 * The second is for a turn that is shown again from its beginning.
 */
const PAGE_SIZES = [5, 100] as const;
/**
 * Time in milliseconds to wait for the trace. A tool's line without its details is better than an answer that stops.
 */
const MAX_WAIT_MS = 1_500;

/**
 * Creates a function that looks up the result of a tool call in the turn's trace. It resolves with undefined when the
 * trace cannot be read within `MAX_WAIT_MS`, or does not have the result among the newest ones. It never rejects.
 */
export const createToolResultReader = (
  { traces, cliProcess: { timers } }: Pick<CliContext, 'traces' | 'cliProcess'>,
  { turnId, projectId }: { readonly turnId: string; readonly projectId: string },
): ((callId: string) => Promise<ToolResultDetails | undefined>) => {
  const search = async (callId: string): Promise<ToolResultDetails | undefined> => {
    let offset = 0;
    for (const limit of PAGE_SIZES) {
      const query = { projectId, turnId, type: 'tool_result', limit, offset };
      const { events, nextOffset } = await traces.list(query);
      const result = events
        .map(({ details }) => detailsSchema.safeParse(details).data)
        .findLast((details) => details?.toolCallId === callId);
      if (result || nextOffset === null) return result;
      offset = nextOffset;
    }
    return undefined;
  };
  return (callId) => {
    const tooLate = new Promise<undefined>((resolve) => timers.after(MAX_WAIT_MS, () => resolve(undefined)));
    return Promise.race([search(callId).catch(() => undefined), tooLate]);
  };
};
