import type { TraceEvent } from '../../contracts/http/trace-api.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { withRetries } from '../http/retry.ts';
import type { TraceSelection } from '../http/trace-client.ts';
import { resolveTurn } from '../turn/resolve-turn.ts';
import { timelineLines } from './trace-lines.ts';
import { jsonLine } from '../render/output.ts';

/** Number of trace events that are asked for in one request. */
const PAGE_SIZE = 200;

/** Runs `orion trace`: prints the trace events of a turn, oldest first, as `timelineLines` shows them. */
export const runTrace = async (
  context: CliContext,
  { turnId: idOrPrefix }: { readonly turnId: string | undefined },
): Promise<ExitCode> => {
  const { screen, printsJson, isVerbose, cliProcess } = context;
  const resolved = await resolveTurn(context, idOrPrefix);
  if (resolved.kind === 'none') return resolved.code;
  const { turnId, projectId } = resolved.turn;
  const events = await readTraces(context, { projectId, turnId, limit: PAGE_SIZE });
  if (printsJson) {
    screen.write(jsonLine({ events, total: events.length }));
  } else {
    const options = { isTty: cliProcess.stdout.isTTY === true, showsWords: isVerbose, colors: screen.colors };
    for (const line of timelineLines(events, options)) screen.writeLine(line);
  }
  return EXIT.done;
};

/**
 * Reads all trace events that existed when the first page was read, oldest first. Throws as `GatewayClient` does.
 */
export const readTraces = async (
  { traces, retry }: Pick<CliContext, 'traces' | 'retry'>,
  selection: TraceSelection,
): Promise<TraceEvent[]> => {
  const events: TraceEvent[] = [];
  let total: number | undefined;
  // Offsets count from the newest event, so those of unread events grow by what a running turn adds meanwhile.
  let addedCount = 0;
  for (;;) {
    const offset = events.length + addedCount;
    const page = await withRetries(retry, () => traces.list({ ...selection, offset }));
    total ??= page.total;
    addedCount = page.total - total;
    const overlap = events.length - (offset - addedCount);
    events.unshift(...page.events.slice(0, Math.max(0, page.events.length - overlap)));
    if (page.events.length === 0 || events.length >= total) return events;
  }
};
