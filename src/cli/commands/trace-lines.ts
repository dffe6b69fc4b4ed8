import { safeForTerminal, safeInLine } from '../../base/text/safe-for-terminal.ts';
import type { TraceEvent } from '../../contracts/http/trace-api.ts';
import { fieldsOf } from '../../contracts/values/unchecked-value.ts';
import type { Colors } from '../render/colors.ts';

interface TimelineOptions {
  /** True if the lines go to a terminal, which foreign text must not control. */
  readonly isTty: boolean;
  /** True to show the beginning of what the model, calls and tools said below their events. */
  readonly showsWords: boolean;
  readonly colors: Colors;
}

const TIME_CELLS = 10;
const PHASE_CELLS = 9;

/**
 * Returns the lines of `orion trace`: one for each event, with seconds since the first event, phase, type and summary
 * in aligned columns, and one wherever attempts were lost before an attempt that the trace has.
 */
export const timelineLines = (events: readonly TraceEvent[], options: TimelineOptions): readonly string[] => {
  const start = Date.parse(events[0]?.createdAt ?? '');
  const lastAttempts = new Map<number, number>();
  return events.flatMap((event) => [
    ...lostLines(event, lastAttempts),
    eventLine(event, start, options),
    ...(options.showsWords ? wordLines(event, options.isTty) : []),
  ]);
};

const eventLine = (
  { createdAt, phaseIndex, type, summary, error }: TraceEvent,
  start: number,
  { isTty, colors }: TimelineOptions,
): string => {
  const at = `+${((Date.parse(createdAt) - start) / 1000).toFixed(3)}s`.padStart(TIME_CELLS);
  const text = error === null ? summary : `${summary} — ${error}`;
  const line = `${at}  ${phaseCell(phaseIndex)}  ${type.padEnd(24)}  ${text.replaceAll(/\s+/g, ' ')}`;
  if (!isTty) return line;
  return error === null ? safeForTerminal(line) : colors.red(safeForTerminal(line));
};

const phaseCell = (phaseIndex: number | null): string =>
  (phaseIndex === null ? '' : `phase ${phaseIndex}`).padEnd(PHASE_CELLS);

/**
 * Returns the line for attempts of a model call that were lost before this event. They were counted, but have recorded
 * nothing, so a gap in the attempt numbers shows them. `lastAttempts` has the last attempt of each step so far; this
 * event is added to it.
 */
const lostLines = (
  { type, details, phaseIndex }: TraceEvent,
  lastAttempts: Map<number, number>,
): readonly string[] => {
  if (type !== 'llm_result' && type !== 'system_error') return [];
  const { step, attempt } = fieldsOf(details);
  if (typeof step !== 'number' || typeof attempt !== 'number') return [];
  const last = lastAttempts.get(step) ?? 0;
  lastAttempts.set(step, Math.max(last, attempt));
  const lost = attempt - last - 1;
  if (lost < 1) return [];
  const words = lost === 1 ? 'lost attempt' : `${lost} lost attempts`;
  return [`${' '.repeat(TIME_CELLS)}  ${phaseCell(phaseIndex)}  ${words} of the model call`];
};

const MAX_CHARACTERS = 1_000;
const MAX_LINES = 10;

/** Returns the beginning of the words of an event, indented, with `←` for what a tool gets and `→` for all others. */
const wordLines = ({ type, details }: TraceEvent, isTty: boolean): readonly string[] => {
  const { text, arguments: callArguments, result } = fieldsOf(details);
  switch (type) {
    case 'llm_result':
      return quoted('→', text, isTty);
    case 'tool_call':
      return quoted('←', callArguments, isTty);
    case 'tool_result':
      return quoted('→', result, isTty);
    default:
      return [];
  }
};

const quoted = (arrow: string, value: unknown, isTty: boolean): readonly string[] => {
  const whole = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const cut = whole.slice(0, MAX_CHARACTERS).toWellFormed();
  const lines = (cut === whole ? whole : `${cut}…`).trimEnd().split('\n');
  const shownLines = lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), '…'] : lines;
  return whole.trim() === ''
    ? []
    : shownLines.map((line) => `    ${arrow} ${isTty ? safeInLine(line) : line}`);
};
