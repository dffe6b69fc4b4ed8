import type { ModelMessage } from '../../contracts/model/model-message.ts';
import type { SentStep } from '../../contracts/model/sent-step.ts';
import { safeText } from '../../contracts/values/safe-text.ts';
import { OUTCOME_UNKNOWN, type ToolCall, type ToolResult } from '../../contracts/tools/tool-call.ts';
import type { ReplacedText } from '../../contracts/write-session/write-session.ts';
import { toolLabel } from '../../contracts/tools/tool-name.ts';
import { withLines } from '../../write-session/replaced-text.ts';
import type { LoggedEvent } from '../event-log/event-log.ts';
import { looksComplete } from '../stream/tool-arguments.ts';
import { NOT_RUN_ONE_AT_A_TIME, toolResultText } from './tool-report.ts';

/** A row of the ledger, as far as the model is told about it. */
export interface RecordedExecution {
  readonly phaseIndex: number;
  readonly toolName: string;
  readonly arguments: string;
  /** Result of the call. Null if the call was begun and its outcome is unknown. */
  readonly result: ToolResult | null;
}

/** What is known of an ending turn: the messages of its model calls, its events, and the results of its tools. */
export interface ClosingTurn {
  /** The messages that each model call was sent beyond the call before it, by step; withdrawn messages are left out. */
  readonly steps: readonly SentStep[];
  /** The surviving events, without the terminal one. */
  readonly list: readonly LoggedEvent[];
  /** Executions in the order in which they were begun. */
  readonly ledger: readonly RecordedExecution[];
  readonly replaced: readonly ReplacedText[];
  readonly toolResultRole: 'tool' | 'system';
}

/** The messages of a turn, in two parts. */
export interface TurnTranscript {
  /** Messages of the turn, as its last model call was sent them. */
  readonly sent: readonly ModelMessage[];
  /** The messages after that call, which no call was sent. */
  readonly rest: readonly ModelMessage[];
}

/** The message in place of an answer without text, so that two messages of the user do not look like one. */
export const NO_REPLY: ModelMessage = { role: 'assistant', content: '[no answer]' };

/** The result of a call that was not begun when the turn ended. */
const NOT_RUN_AT_END = 'Not run: the turn ended.';

/**
 * Returns the messages of a turn as later prompts hold them: the messages of its model calls as they were last sent,
 * then what came after the last call, which no call was sent (docs/context.md "Transcripts"). Every call has its
 * result, and the last message is the assistant's. Returns undefined when no call was made, or when a version without
 * transcripts made the calls.
 */
export const turnTranscript = (turn: ClosingTurn): TurnTranscript | undefined => {
  const { steps } = turn;
  const last = steps.at(-1);
  if (!last || steps[0]?.messages[0]?.role === 'system') return undefined;
  const phases = splitIntoPhases(turn.list);
  const calls = phases.flatMap((phase, index) => (phase.kind === 'action' ? [index] : []));
  const first = firstCallFromEvents(turn, phases, calls);
  const sent = steps.filter(({ step }) => step <= first).flatMap(({ messages }) => messages);
  const rest = phases.slice(calls[first - 1] ?? phases.length).flatMap((phase) => messagesOf(phase, turn));
  const end = rest.at(-1) ?? sent.at(-1);
  const isAnswered = end?.role === 'assistant' && end.tool_calls === undefined;
  return { sent, rest: isAnswered ? rest : [...rest, NO_REPLY] };
};

interface TranscriptPhase {
  readonly kind: 'action' | 'tool';
  /** Offset in the turn's text at which the phase's text begins. */
  readonly from: number;
  text: string;
  calls: readonly ToolCall[];
  readonly steers: string[];
  /** Index of the tool phase that followed this phase, if one did. */
  toolPhaseIndex?: number;
}

const splitIntoPhases = (list: readonly LoggedEvent[]): TranscriptPhase[] => {
  const phases: TranscriptPhase[] = [];
  let at = 0;
  for (const { event } of list) {
    const open = phases.at(-1);
    if (event.type === 'phase') {
      if (open && event.phase === 'tool') open.toolPhaseIndex = event.index;
      phases.push({ kind: event.phase, from: at, text: '', calls: [], steers: [] });
    } else if (event.type === 'chunk' && event.notice === undefined) {
      at += event.content.length;
      if (open) open.text += event.content;
    } else if (open && event.type === 'tool_calls') {
      open.calls = event.calls;
    } else if (open && event.type === 'steer') {
      open.steers.push(event.content);
    }
  }
  return phases;
};

/**
 * Returns the number, counted from 1, of the first model call whose answer is taken from the events. Usually this is
 * the last call, since no later call was sent its answer. If a file extends from an earlier answer into the last one,
 * and no call was sent the line in place of the file, returns the call that began the file.
 */
const firstCallFromEvents = (
  { steps, replaced }: ClosingTurn,
  phases: readonly TranscriptPhase[],
  calls: number[],
): number => {
  const last = steps.at(-1)?.step ?? 0;
  const answer = phases[calls[last - 1] ?? -1];
  if (!answer) return last;
  const sent = steps.flatMap(({ messages }) => messages);
  const open = replaced.find(
    ({ from, to, line }) =>
      from < answer.from && to >= answer.from && !sent.some(({ content }) => content.startsWith(line)),
  );
  if (!open) return last;
  const begun = calls.findLastIndex((index) => (phases[index]?.from ?? Infinity) <= open.from);
  return begun < 0 ? last : begun + 1;
};

/**
 * Returns the messages of a phase: its text, with a line in place of each file, its calls with their results, and the
 * messages that were sent into the turn after it.
 */
const messagesOf = (phase: TranscriptPhase, turn: ClosingTurn): ModelMessage[] => [
  ...(phase.kind === 'action' ? answerMessages(phase, turn) : []),
  ...phase.steers.map((content): ModelMessage => ({ role: 'user', content })),
];

const answerMessages = (phase: TranscriptPhase, turn: ClosingTurn): ModelMessage[] => {
  const content = withoutFiles(phase, turn.replaced);
  const textMessages: ModelMessage[] = content === '' ? [] : [{ role: 'assistant', content }];
  const begunEntries = turn.ledger.filter(({ phaseIndex }) => phaseIndex === phase.toolPhaseIndex);
  const calls = phase.calls.filter(looksComplete);
  if (calls.length === 0) return textMessages;
  if (turn.toolResultRole === 'system') {
    const results = begunEntries.map((entry): ModelMessage => ({
      role: 'system',
      content: executionResult(entry, turn),
    }));
    return [...textMessages, ...results];
  }
  const entries = findEntries(calls, begunEntries);
  const answers = calls.map((call, i): ModelMessage => ({
    role: 'tool',
    tool_call_id: call.id,
    content: resultTextOf(call, entries[i], begunEntries.length > 0, turn),
  }));
  return [{ role: 'assistant', content, tool_calls: calls }, ...answers];
};

/**
 * Returns the text of a phase with a line in place of each file. A file may extend over several phases; its line is
 * where it began.
 */
const withoutFiles = ({ from, text }: TranscriptPhase, replaced: readonly ReplacedText[]): string => {
  const inPhase = replaced.map((range) => ({
    from: Math.max(range.from - from, 0),
    to: Math.min(range.to - from, text.length),
    line: range.from < from ? '' : range.line,
  }));
  return withLines(
    text,
    inPhase.filter((range) => range.to > 0 && range.from < text.length),
  );
};

/**
 * Finds the row of the ledger for each call: the row of an equal call, if there is one. Any other call may have been
 * edited before it ran, so it gets the first row that is left.
 */
const findEntries = (
  calls: readonly ToolCall[],
  begun: readonly RecordedExecution[],
): readonly (RecordedExecution | undefined)[] => {
  const remainingEntries = [...begun];
  const take = (index: number): RecordedExecution | undefined =>
    index < 0 ? undefined : remainingEntries.splice(index, 1)[0];
  const equal = calls.map((call) => take(remainingEntries.findIndex((entry) => matchesEntry(call, entry))));
  return equal.map((entry) => entry ?? take(remainingEntries.length > 0 ? 0 : -1));
};

const resultTextOf = (
  call: ToolCall,
  entry: RecordedExecution | undefined,
  hasRunCall: boolean,
  turn: ClosingTurn,
): string => {
  if (!entry) return hasRunCall ? NOT_RUN_ONE_AT_A_TIME : NOT_RUN_AT_END;
  return executionResult(entry, turn, matchesEntry(call, entry) ? undefined : entry.arguments);
};

const executionResult = (
  { result }: RecordedExecution,
  { toolResultRole }: ClosingTurn,
  changedTo?: string,
): string => (result === null ? OUTCOME_UNKNOWN : toolResultText(result, toolResultRole, changedTo));

const matchesEntry = (call: ToolCall, entry: RecordedExecution): boolean =>
  safeText(toolLabel(call.function.name)) === entry.toolName &&
  safeText(call.function.arguments) === entry.arguments;
