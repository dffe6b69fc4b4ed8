/* The view of a turn, which is a pure fold over its events (docs/chat-page.md "One list, one view"). */
import { TOOL_RESULT_HEADING, toolLabel } from '../../contracts/tools/tool-name.ts';
import type { InputRequested, InputResolved } from '../../contracts/wire/input-events.ts';
import type { Notice, TerminalEvent, TurnEvent } from '../../contracts/wire/turn-event.ts';

/**
 * The state of a tool call. `asked` means that the model has requested it, and `waiting` that it waits for a person.
 * `unused` means that the turn continued or ended without a result of the call.
 */
export type CallState = 'asked' | 'running' | 'waiting' | 'ok' | 'failed' | 'unused';

/** A tool call with its outcome. `arguments` is JSON text, incomplete while the model still writes it. */
export interface CallEntry {
  readonly kind: 'call';
  readonly seq: number;
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
  readonly state: CallState;
  readonly durationMs?: number;
  /** Size of the result in bytes. Absent until the call has ended. */
  readonly bytes?: number;
  /** The result of the call. Absent until the call has ended, and if the gateway does not stream results. */
  readonly content?: string | undefined;
}

/** A file of a write session, as far as it is written. */
export interface FileEntry {
  readonly kind: 'file';
  readonly seq: number;
  readonly file: Extract<TurnEvent, { type: 'write_session' }>;
  /**
   * The text of the model since the session was begun, with the end marker and the remark after it once they have come.
   */
  readonly text: string;
}

/** An input request, and how it was resolved once it was. */
export interface InputEntry {
  readonly kind: 'input';
  readonly seq: number;
  readonly request: InputRequested;
  readonly resolution?: InputResolved;
}

/** One item of an answer. `seq` is that of the event that began the item, and serves as its key. */
export type AnswerEntry =
  | { readonly kind: 'text'; readonly seq: number; readonly text: string }
  | { readonly kind: 'notice'; readonly seq: number; readonly notice: Notice; readonly text: string }
  | { readonly kind: 'steer'; readonly seq: number; readonly messageId: string; readonly text: string }
  | CallEntry
  | FileEntry
  | InputEntry;

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
export const emptyView: AnswerView = { entries: [], phase: null, phaseSeq: 0, writing: null, end: null };

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
      return { ...view, entries: view.entries.map(abandon), phase: null, writing: null, end: event };
    default:
      return event satisfies never;
  }
};

const withEntries = (view: AnswerView, entries: readonly AnswerEntry[]): AnswerView => ({ ...view, entries });

const beginPhase = (view: AnswerView, seq: number, phase: 'action' | 'tool'): AnswerView => {
  const entries = phase === 'action' ? view.entries.map(abandon) : runFirst(view);
  return { ...view, entries, phase, phaseSeq: seq };
};

/** Marks the first requested call of the previous answer as running, because a tool phase begins with it. */
const runFirst = ({ entries, phaseSeq }: AnswerView): readonly AnswerEntry[] => {
  const next = entries.findIndex(
    (entry) => entry.kind === 'call' && entry.state === 'asked' && entry.seq > phaseSeq,
  );
  return entries.map((entry, index) =>
    index === next && entry.kind === 'call' ? { ...entry, state: 'running' } : entry,
  );
};

/** Marks a call that has no result as unused. */
const abandon = (entry: AnswerEntry): AnswerEntry =>
  entry.kind === 'call' && isPending(entry) ? { ...entry, state: 'unused' } : entry;

const isPending = ({ state }: CallEntry): boolean =>
  state === 'asked' || state === 'running' || state === 'waiting';

const addChunk = (
  { entries, writing }: AnswerView,
  seq: number,
  { content, notice }: Extract<TurnEvent, { type: 'chunk' }>,
): readonly AnswerEntry[] => {
  // While the model writes a file, its words are the text of the file.
  if (notice === undefined && writing !== null) {
    return entries.map((entry) =>
      entry.kind === 'file' && entry.file.sessionId === writing
        ? { ...entry, text: entry.text + content }
        : entry,
    );
  }
  if (notice !== undefined) {
    return isOnCard(entries, notice, content)
      ? entries
      : [...entries, { kind: 'notice', seq, notice, text: content }];
  }
  const last = entries.at(-1);
  if (last?.kind === 'text') return [...entries.slice(0, -1), { ...last, text: last.text + content }];
  return [...entries, { kind: 'text', seq, text: content }];
};

/** Reports whether a notice repeats the result of a tool, which the card of its call already shows. */
const isOnCard = (entries: readonly AnswerEntry[], notice: Notice, content: string): boolean =>
  notice === 'tool_result' &&
  entries.some(
    (entry) =>
      entry.kind === 'call' &&
      (entry.state === 'ok' || entry.state === 'failed') &&
      content.includes(`${TOOL_RESULT_HEADING}${toolLabel(entry.name)}\n`),
  );

type Calls = Extract<TurnEvent, { type: 'tool_calls' }>['calls'];

/**
 * Returns the entries with the calls of this phase as the newest list has them. Calls that the list no longer names
 * were withdrawn and are removed. Known calls get the name and arguments of the list, and new calls are added.
 */
const placeCalls = ({ entries, phaseSeq }: AnswerView, seq: number, calls: Calls): readonly AnswerEntry[] => {
  const listed = new Map(calls.map((call) => [call.id, call.function]));
  const isOpen = (entry: AnswerEntry): entry is CallEntry =>
    entry.kind === 'call' && entry.state === 'asked' && entry.seq > phaseSeq;
  const kept = entries.filter((entry) => !isOpen(entry) || listed.has(entry.callId));
  const grown = kept.map((entry): AnswerEntry => {
    if (!isOpen(entry)) return entry;
    const call = listed.get(entry.callId);
    return call ? { ...entry, name: call.name, arguments: call.arguments } : entry;
  });
  const known = new Set(grown.filter(isOpen).map(({ callId }) => callId));
  const added = calls
    .filter(({ id }) => !known.has(id))
    .map((call, index): CallEntry => ({
      kind: 'call',
      // Several calls may begin with one event. Each needs a key of its own, below the seq of the next event.
      seq: seq + index / 1_000,
      callId: call.id,
      name: call.function.name,
      arguments: call.function.arguments,
      state: 'asked',
    }));
  return [...grown, ...added];
};

const settleCall = (
  entries: readonly AnswerEntry[],
  seq: number,
  { callId, name, ok, durationMs, bytes, content }: Extract<TurnEvent, { type: 'tool_result' }>,
): readonly AnswerEntry[] => {
  const outcome = { state: ok ? 'ok' : 'failed', durationMs, bytes, content } as const;
  // A provider may give the same id to calls of two answers. The result belongs to the newer call.
  const at = entries.findLastIndex((entry) => entry.kind === 'call' && entry.callId === callId);
  if (at < 0) return [...entries, { kind: 'call', seq, callId, name, arguments: '', ...outcome }];
  return entries.map((entry, index) =>
    index === at && entry.kind === 'call' ? { ...entry, ...outcome } : entry,
  );
};

const placeFile = (view: AnswerView, seq: number, file: FileEntry['file']): AnswerView => {
  const isThis = (entry: AnswerEntry): entry is FileEntry =>
    entry.kind === 'file' && entry.file.sessionId === file.sessionId;
  const entries = view.entries.some(isThis)
    ? view.entries.map((entry) => (isThis(entry) ? { ...entry, file } : entry))
    : [...view.entries, { kind: 'file' as const, seq, file, text: '' }];
  return { ...view, entries, writing: file.stage === 'begun' ? file.sessionId : null };
};

/** Moves the newest call with this id to another state, unless it has ended or is unused. */
const moveCall = (
  entries: readonly AnswerEntry[],
  callId: string | undefined,
  state: CallState,
): readonly AnswerEntry[] => {
  const at = entries.findLastIndex((entry) => entry.kind === 'call' && entry.callId === callId);
  return entries.map((entry, index) =>
    index === at && entry.kind === 'call' && isPending(entry) ? { ...entry, state } : entry,
  );
};

const resolveInput = (entries: readonly AnswerEntry[], resolution: InputResolved): readonly AnswerEntry[] => {
  const { arguments: edited } = resolution;
  const isRequest = (entry: AnswerEntry): entry is InputEntry =>
    entry.kind === 'input' && entry.request.inputId === resolution.inputId;
  const callId = entries.find(isRequest)?.request.callId;
  const resolved = entries.map((entry) => (isRequest(entry) ? { ...entry, resolution } : entry));
  const withMovedCall = moveCall(resolved, callId, resolution.reply === 'deny' ? 'unused' : 'running');
  if (edited === undefined) return withMovedCall;
  // The call runs with the edited arguments, so these are shown.
  const at = withMovedCall.findLastIndex((entry) => entry.kind === 'call' && entry.callId === callId);
  return withMovedCall.map((entry, index) =>
    index === at && entry.kind === 'call' ? { ...entry, arguments: edited } : entry,
  );
};
