/* The view of a turn, which is a pure fold over its events (docs/chat-page.md "One list, one view"). */
import { TOOL_RESULT_HEADING, toolLabel } from '../../contracts/tools/tool-name.ts';
import type { InputResolved } from '../../contracts/wire/input-events.ts';
import type { Notice, TerminalEvent, TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { FileEntry, InputEntry, AnswerEntry } from './answer-entry.ts';
import {
  abandonCall,
  changeNewestCall,
  moveCall,
  placeCalls,
  settleCall,
  startFirstCall,
} from './call-entries.ts';

/** A turn as a reader sees it. `phase` is null before the first phase and after the end of the turn. */
export interface AnswerView {
  readonly entries: readonly AnswerEntry[];
  readonly phase: 'action' | 'tool' | null;
  /** Seq of the event that began the phase. Entries with a greater seq belong to the phase. */
  readonly phaseSeq: number;
  /** Id of the write session whose file the model is writing. Null while it writes none. */
  readonly writing: string | null;
  readonly end: TerminalEvent | null;
}

/** The view of a turn before its first event. */
export const EMPTY_VIEW: AnswerView = { entries: [], phase: null, phaseSeq: 0, writing: null, end: null };

/**
 * Returns the view after one more event. A `reset` leaves the view as it is, because `addEvents` folds the remaining
 * events anew instead.
 */
export const foldEvent = (view: AnswerView, seq: number, event: TurnEvent): AnswerView => {
  switch (event.type) {
    case 'phase':
      return beginPhase(view, seq, event.phase);
    case 'chunk':
      return withEntries(view, addChunk(view, seq, event));
    case 'tool_calls':
      return withEntries(view, placeCalls(view, seq, event.calls));
    case 'tool_result':
      return withEntries(view, settleCall(view.entries, seq, event));
    case 'write_session':
      return placeFile(view, seq, event);
    case 'input_requested':
      return withEntries(view, [
        ...moveCall(view.entries, event.callId, 'waiting'),
        { kind: 'input', seq, request: event },
      ]);
    case 'input_resolved':
      return withEntries(view, resolveInput(view.entries, event));
    case 'steer':
      return withEntries(view, [
        ...view.entries,
        { kind: 'steer', seq, messageId: event.messageId, text: event.content },
      ]);
    case 'reset':
      return view;
    case 'done':
    case 'error':
      return { ...view, entries: view.entries.map(abandonCall), phase: null, writing: null, end: event };
    default:
      return event satisfies never;
  }
};

const withEntries = (view: AnswerView, entries: readonly AnswerEntry[]): AnswerView => ({ ...view, entries });

const beginPhase = (view: AnswerView, seq: number, phase: 'action' | 'tool'): AnswerView => {
  const entries = phase === 'action' ? view.entries.map(abandonCall) : startFirstCall(view);
  return { ...view, entries, phase, phaseSeq: seq };
};

const addChunk = (
  { entries, writing }: AnswerView,
  seq: number,
  { content, notice }: Extract<TurnEvent, { type: 'chunk' }>,
): readonly AnswerEntry[] => {
  if (notice !== undefined) {
    return isOnCard(entries, notice, content)
      ? entries
      : [...entries, { kind: 'notice', seq, notice, text: content }];
  }
  // While the model writes a file, its words are the text of the file.
  if (writing !== null) return addFileText(entries, writing, content);
  const last = entries.at(-1);
  if (last?.kind === 'text') return [...entries.slice(0, -1), { ...last, text: last.text + content }];
  return [...entries, { kind: 'text', seq, text: content }];
};

const addFileText = (
  entries: readonly AnswerEntry[],
  sessionId: string,
  text: string,
): readonly AnswerEntry[] =>
  entries.map((entry) =>
    entry.kind === 'file' && entry.file.sessionId === sessionId
      ? { ...entry, text: entry.text + text }
      : entry,
  );

/** Reports whether a notice repeats the result of a tool, which the card of its call already shows. */
const isOnCard = (entries: readonly AnswerEntry[], notice: Notice, content: string): boolean =>
  notice === 'tool_result' &&
  entries.some(
    (entry) =>
      entry.kind === 'call' &&
      (entry.state === 'ok' || entry.state === 'failed') &&
      content.includes(`${TOOL_RESULT_HEADING}${toolLabel(entry.name)}\n`),
  );

const placeFile = (view: AnswerView, seq: number, file: FileEntry['file']): AnswerView => {
  const isSameFile = (entry: AnswerEntry): entry is FileEntry =>
    entry.kind === 'file' && entry.file.sessionId === file.sessionId;
  const entries = view.entries.some(isSameFile)
    ? view.entries.map((entry) => (isSameFile(entry) ? { ...entry, file } : entry))
    : [...view.entries, { kind: 'file' as const, seq, file, text: '' }];
  return { ...view, entries, writing: file.stage === 'begun' ? file.sessionId : null };
};

const resolveInput = (entries: readonly AnswerEntry[], resolution: InputResolved): readonly AnswerEntry[] => {
  const { arguments: editedArguments } = resolution;
  const isRequest = (entry: AnswerEntry): entry is InputEntry =>
    entry.kind === 'input' && entry.request.inputId === resolution.inputId;
  const callId = entries.find(isRequest)?.request.callId;
  const resolved = entries.map((entry) => (isRequest(entry) ? { ...entry, resolution } : entry));
  const moved = moveCall(resolved, callId, resolution.reply === 'deny' ? 'unused' : 'running');
  if (editedArguments === undefined) return moved;
  // The call runs with the edited arguments, so these are shown.
  return changeNewestCall(moved, callId, (call) => ({ ...call, arguments: editedArguments }));
};
