/* The view of a turn: a pure fold over its events (docs/chat-page.md "One list, one view"). */
import { toolLabel } from '../../contracts/tools/tool-name.ts';
import type { InputRequested, InputResolved } from '../../contracts/wire/input-events.ts';
import type { Notice, TerminalEvent, TurnEvent } from '../../contracts/wire/turn-event.ts';

/**
 * The state of a tool call. `waiting` means that it waits for a person. `unused` means that the turn continued without
 * running it.
 */
export type CallState = 'asked' | 'running' | 'waiting' | 'ok' | 'failed' | 'unused';

/** A tool call with its outcome. `arguments` is JSON text as far as it has come. */
export interface CallEntry {
  readonly kind: 'call';
  readonly seq: number;
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
  readonly state: CallState;
  readonly durationMs?: number;
  readonly bytes?: number;
  /** The call's result, where the gateway is set to stream results. */
  readonly content?: string | undefined;
}

/** A file that a write session writes, as far as it has come. */
export interface FileEntry {
  readonly kind: 'file';
  readonly seq: number;
  readonly file: Extract<TurnEvent, { type: 'write_session' }>;
  /** The model's text since the session was begun. */
  readonly text: string;
}

/** Something that the turn has asked a person, and the reply once there is one. */
export interface InputEntry {
  readonly kind: 'input';
  readonly seq: number;
  readonly request: InputRequested;
  readonly resolution?: InputResolved;
}

/** One item of an answer, from top to bottom. `seq` is that of the event that began the item, which names it. */
export type AnswerEntry =
  | { readonly kind: 'text'; readonly seq: number; readonly text: string }
  | { readonly kind: 'notice'; readonly seq: number; readonly notice: Notice; readonly text: string }
  | { readonly kind: 'steer'; readonly seq: number; readonly messageId: string; readonly text: string }
  | CallEntry
  | FileEntry
  | InputEntry;

/** A turn as a reader sees it. `phase` is null before the first and after the end. */
export interface AnswerView {
  readonly entries: readonly AnswerEntry[];
  readonly phase: 'action' | 'tool' | null;
  /** Seq of the phase event: what began after it belongs to this phase. */
  readonly phaseSeq: number;
  /** The write session whose file the model's words are. Null if they are its answer. */
  readonly writing: string | null;
  readonly end: TerminalEvent | null;
}

/** The view of a turn of which nothing is known yet. */
export const emptyView: AnswerView = { entries: [], phase: null, phaseSeq: 0, writing: null, end: null };

/**
 * Returns the view after one more event. A `reset` does not come here: `addEvents` folds the remaining events anew.
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

/** A tool phase begins with the first call that the answer before it has asked for. */
const runFirst = ({ entries, phaseSeq }: AnswerView): readonly AnswerEntry[] => {
  const next = entries.findIndex(
    (entry) => entry.kind === 'call' && entry.state === 'asked' && entry.seq > phaseSeq,
  );
  return entries.map((entry, index) =>
    index === next && entry.kind === 'call' ? { ...entry, state: 'running' } : entry,
  );
};

const isPending = ({ state }: CallEntry): boolean =>
  state === 'asked' || state === 'running' || state === 'waiting';

const abandon = (entry: AnswerEntry): AnswerEntry =>
  entry.kind === 'call' && isPending(entry) ? { ...entry, state: 'unused' } : entry;

const addChunk = (
  { entries, writing }: AnswerView,
  seq: number,
  { content, notice }: Extract<TurnEvent, { type: 'chunk' }>,
): readonly AnswerEntry[] => {
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

/** Returns true for a notice with the result of a tool, which the card of its call shows already. */
const isOnCard = (entries: readonly AnswerEntry[], notice: Notice, content: string): boolean =>
  notice === 'tool_result' &&
  entries.some(
    (entry) =>
      entry.kind === 'call' &&
      (entry.state === 'ok' || entry.state === 'failed') &&
      content.includes(`TOOL RESULT: ${toolLabel(entry.name)}\n`),
  );

type Calls = Extract<TurnEvent, { type: 'tool_calls' }>['calls'];

/**
 * Returns entries with the calls of this phase: those that the list no longer names were withdrawn, the others grow, or
 * are new.
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
      // Several begin at once, and each needs a name, between this event and the next.
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
  // A provider may give the same id to calls of two answers: the result belongs to the newer one.
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

/** Moves the newest call of an id to another state, unless it has ended. */
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
  let callId: string | undefined;
  const resolved = entries.map((entry): AnswerEntry => {
    if (entry.kind !== 'input' || entry.request.inputId !== resolution.inputId) return entry;
    ({ callId } = entry.request);
    return { ...entry, resolution };
  });
  const withMovedCall = moveCall(resolved, callId, resolution.reply === 'deny' ? 'unused' : 'running');
  if (edited === undefined) return withMovedCall;
  // The edited call is the one that runs.
  const at = withMovedCall.findLastIndex((entry) => entry.kind === 'call' && entry.callId === callId);
  return withMovedCall.map((entry, index) =>
    index === at && entry.kind === 'call' ? { ...entry, arguments: edited } : entry,
  );
};
