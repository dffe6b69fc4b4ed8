import type { TraceEvent } from '../../contracts/trace-event.ts';
import type { CliContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { withRetries } from '../http/retry.ts';
import type { TraceSelection } from '../http/traces.ts';
import type { Colors } from '../render/colors.ts';
import { safeForTerminal } from '../render/safe-for-terminal.ts';

const PAGE = 200;

/** What happened in a turn, oldest first, on a line each. */
export const runTrace = async (
  context: CliContext,
  { turnId }: { readonly turnId: string },
): Promise<ExitCode> => {
  const { turns, retry, screen, json, process } = context;
  const { projectId } = await withRetries(retry, () => turns.status(turnId));
  const events = await readAll(context, { projectId, requestId: turnId, limit: PAGE });
  if (json) screen.answer(`${JSON.stringify({ events, total: events.length })}\n`);
  else
    for (const line of timeline(events, process.stdout.isTTY === true))
      screen.answer(`${line(screen.colors)}\n`);
  return EXIT.done;
};

const readAll = async ({ traces, retry }: CliContext, selection: TraceSelection): Promise<TraceEvent[]> => {
  const events: TraceEvent[] = [];
  for (;;) {
    const page = await withRetries(retry, () => traces.list({ ...selection, offset: events.length }));
    events.unshift(...page.events);
    if (page.events.length === 0 || events.length >= page.total) return events;
  }
};

type Line = (colors: Colors) => string;

/** `+ms since the first | phase | type | summary`; columns are aligned. */
const timeline = (events: readonly TraceEvent[], isTerminal: boolean): readonly Line[] => {
  const start = Date.parse(events[0]?.createdAt ?? '');
  return events.map(({ createdAt, phaseIndex, type, summary, error }) => (colors) => {
    const at = `+${((Date.parse(createdAt) - start) / 1000).toFixed(3)}s`.padStart(10);
    const phase = (phaseIndex === null ? '' : `phase ${phaseIndex}`).padEnd(9);
    const text = error === null ? summary : `${summary} — ${error}`;
    const line = `${at}  ${phase}  ${type.padEnd(24)}  ${text.replaceAll(/\s+/g, ' ')}`;
    if (!isTerminal) return line;
    return error === null ? safeForTerminal(line) : colors.red(safeForTerminal(line));
  });
};
