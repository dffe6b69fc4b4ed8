/* The tool calls among the entries of an answer, as events change them. All functions here are pure. */
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { CallState, CallEntry, AnswerEntry } from './answer-entry.ts';

/** The entries of an answer. Those with a seq above `phaseSeq` belong to its newest phase. */
interface EntriesOfPhases {
  readonly entries: readonly AnswerEntry[];
  readonly phaseSeq: number;
}

/** Marks the first requested call of the newest phase as running, because the tool phase after it begins with it. */
export const startFirstCall = ({ entries, phaseSeq }: EntriesOfPhases): readonly AnswerEntry[] => {
  const next = entries.findIndex(
    (entry) => entry.kind === 'call' && entry.state === 'asked' && entry.seq > phaseSeq,
  );
  return entries.map((entry, index) =>
    index === next && entry.kind === 'call' ? { ...entry, state: 'running' } : entry,
  );
};

/** Marks a call that has no result as unused. Returns any other entry as it is. */
export const abandonCall = (entry: AnswerEntry): AnswerEntry =>
  entry.kind === 'call' && isPending(entry) ? { ...entry, state: 'unused' } : entry;

const isPending = ({ state }: CallEntry): boolean =>
  state === 'asked' || state === 'running' || state === 'waiting';

/**
 * Returns the entries with the calls of the newest phase as the newest list has them. Calls that the list no longer
 * names were withdrawn and are removed. Known calls get the name and arguments of the list, and new calls are added.
 */
export const placeCalls = (
  { entries, phaseSeq }: EntriesOfPhases,
  seq: number,
  calls: readonly ToolCall[],
): readonly AnswerEntry[] => {
  const listedCalls = new Map(calls.map((call) => [call.id, call.function]));
  const isOpen = (entry: AnswerEntry): entry is CallEntry =>
    entry.kind === 'call' && entry.state === 'asked' && entry.seq > phaseSeq;
  const keptEntries = entries.filter((entry) => !isOpen(entry) || listedCalls.has(entry.callId));
  const updatedEntries = keptEntries.map((entry): AnswerEntry => {
    if (!isOpen(entry)) return entry;
    const call = listedCalls.get(entry.callId);
    return call ? { ...entry, name: call.name, arguments: call.arguments } : entry;
  });
  const knownIds = new Set(updatedEntries.filter(isOpen).map(({ callId }) => callId));
  const newCalls = calls
    .filter(({ id }) => !knownIds.has(id))
    .map((call, index): CallEntry => ({
      kind: 'call',
      // Several calls may begin with one event. Each needs a key of its own, below the seq of the next event.
      seq: seq + index / 1_000,
      callId: call.id,
      name: call.function.name,
      arguments: call.function.arguments,
      state: 'asked',
    }));
  return [...updatedEntries, ...newCalls];
};

/** Returns the entries with the outcome of a call. A call that is not among them is added. */
export const settleCall = (
  entries: readonly AnswerEntry[],
  seq: number,
  { callId, name, ok, durationMs, bytes, content }: Extract<TurnEvent, { type: 'tool_result' }>,
): readonly AnswerEntry[] => {
  const outcome = { state: ok ? 'ok' : 'failed', durationMs, bytes, content } as const;
  return entries.some((entry) => entry.kind === 'call' && entry.callId === callId)
    ? changeNewestCall(entries, callId, (call) => ({ ...call, ...outcome }))
    : [...entries, { kind: 'call', seq, callId, name, arguments: '', ...outcome }];
};

/** Moves the newest call with this id to another state, unless it has ended or is unused. */
export const moveCall = (
  entries: readonly AnswerEntry[],
  callId: string | undefined,
  state: CallState,
): readonly AnswerEntry[] =>
  changeNewestCall(entries, callId, (call) => (isPending(call) ? { ...call, state } : call));

/**
 * Changes the newest call with this id, if there is one. A provider may give the same id to calls of two answers, and
 * events are about the newer one.
 */
export const changeNewestCall = (
  entries: readonly AnswerEntry[],
  callId: string | undefined,
  change: (call: CallEntry) => CallEntry,
): readonly AnswerEntry[] => {
  const newest = entries.findLast((entry) => entry.kind === 'call' && entry.callId === callId);
  return entries.map((entry) => (entry === newest && entry.kind === 'call' ? change(entry) : entry));
};
