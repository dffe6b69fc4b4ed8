import type { TraceEvent } from '../../contracts/http/trace-api.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { withRetries } from '../http/retry.ts';
import type { TraceSelection } from '../http/trace-client.ts';
import type { Colors } from '../render/colors.ts';
import { safeForTerminal } from '../../base/text/safe-for-terminal.ts';
import { resolveTurn } from '../turn/resolve-turn.ts';

/** Number of trace events that are asked for in one request. */
const PAGE = 200;

/** Runs `orion trace`: prints the trace events of a turn, oldest first, one per line. */
export const runTrace = async (
  context: CliContext,
  { turnId: given }: { readonly turnId: string | undefined },
): Promise<ExitCode> => {
  const { screen, printsJson, process } = context;
  const resolved = await resolveTurn(context, given);
  if (resolved.kind === 'none') return resolved.code;
  const { turnId, projectId } = resolved.turn;
  const events = await readTraces(context, { projectId, turnId, limit: PAGE });
  if (printsJson) {
    screen.write(`${JSON.stringify({ events, total: events.length })}\n`);
  } else {
    const lines = timelineLines(events, process.stdout.isTTY === true);
    for (const line of lines) screen.writeLine(line(screen.colors));
  }
  return EXIT.done;
};

/**
 * Reads all trace events that existed when the first page was read, oldest first. Offsets count from the newest event.
 * `added` is the number of events that a running turn has added meanwhile, by which the offsets of the unread events
 * have grown. Throws `GatewayUnreachableError` or `GatewayRefusedError`.
 */
export const readTraces = async (
  { traces, retry }: Pick<CliContext, 'traces' | 'retry'>,
  selection: TraceSelection,
): Promise<TraceEvent[]> => {
  const events: TraceEvent[] = [];
  let total: number | undefined;
  let added = 0;
  for (;;) {
    const offset = events.length + added;
    const page = await withRetries(retry, () => traces.list({ ...selection, offset }));
    total ??= page.total;
    added = page.total - total;
    const overlap = events.length - (offset - added);
    events.unshift(...page.events.slice(0, Math.max(0, page.events.length - overlap)));
    if (page.events.length === 0 || events.length >= total) return events;
  }
};

type Line = (colors: Colors) => string;

/** Returns one line for each event: seconds since the first event, phase, type and summary, in aligned columns. */
const timelineLines = (events: readonly TraceEvent[], isTty: boolean): readonly Line[] => {
  const start = Date.parse(events[0]?.createdAt ?? '');
  return events.map(({ createdAt, phaseIndex, type, summary, error }) => (colors) => {
    const at = `+${((Date.parse(createdAt) - start) / 1000).toFixed(3)}s`.padStart(10);
    const phase = (phaseIndex === null ? '' : `phase ${phaseIndex}`).padEnd(9);
    const text = error === null ? summary : `${summary} — ${error}`;
    const line = `${at}  ${phase}  ${type.padEnd(24)}  ${text.replaceAll(/\s+/g, ' ')}`;
    if (!isTty) return line;
    return error === null ? safeForTerminal(line) : colors.red(safeForTerminal(line));
  });
};
