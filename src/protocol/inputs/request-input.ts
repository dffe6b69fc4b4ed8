import type { ToolResult } from '../../contracts/tools/tool-call.ts';
import type { InputKind, InputRequested, ReplyName } from '../../contracts/wire/input-events.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { CheckedCall } from '../calls/checked-call.ts';
import type {
  InputRequestSpec,
  ResolvedInputRequest,
  InputPort,
  InputRequestPreparation,
} from '../ports/input-port.ts';
import type { Turn } from '../turn/turn.ts';
import type { RequestDisplay } from '../../contracts/inputs/input-request.ts';

/** An input request that has not been made yet: what it is about, and which replies it offers. */
export interface PlannedInputRequest {
  readonly kind: InputKind;
  /** The call that the request is about. Absent if the request is about the turn itself. */
  readonly checkedCall?: Pick<CheckedCall, 'call' | 'declaration'>;
  readonly session?: InputRequestSpec['session'];
  readonly options: readonly ReplyName[];
  /** The reply that counts when nobody replies. */
  readonly default: ReplyName;
  /** Returns the request in one line, for the person who replies. */
  message(shown: RequestDisplay): string;
  readonly refusalFor?: InputRequestSpec['refusalFor'];
}

/** How an input request ended: by a resolution, or why it has none. */
export type InputRequestOutcome =
  | { readonly kind: 'cancelled' }
  /** The call failed the worker's checks, so nobody was asked. `result` is the result of the call. */
  | { readonly kind: 'failed'; readonly result: ToolResult }
  /** The request could not be prepared, for example not within the turn's time, so nobody was asked. */
  | { readonly kind: 'lost' }
  /** A message of the user wants to be read first, so nobody was asked. */
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'resolved'; readonly outcome: ResolvedInputRequest; readonly shown: RequestDisplay };

/**
 * Makes a request and waits until it is resolved. Yields the event of the request and the event of its resolution, with
 * nothing between them (I9 of docs/protocol.md "Invariants"). A cancel leaves the request open: the end of the turn
 * closes it.
 */
export const requestInput = async function* (
  turn: Turn,
  port: InputPort,
  request: PlannedInputRequest,
): AsyncGenerator<TurnEvent, InputRequestOutcome, undefined> {
  const prepared = await unlessCancelled(turn, port.prepare(specOf(turn, request)));
  if (!prepared) return { kind: 'cancelled' };
  if (prepared.kind !== 'ready') return prepared;
  if (turn.interrupts.isWaiting) return { kind: 'interrupted' };
  const event = requestedEvent(request, prepared);
  yield event;
  const outcome = await unlessCancelled(turn, port.wait({ message: event.message, default: event.default }));
  if (!outcome) return { kind: 'cancelled' };
  turn.meter.excludeWaiting(outcome.waitedMs);
  yield outcome.event;
  return { kind: 'resolved', outcome, shown: prepared.shown };
};

/**
 * Awaits work. Returns undefined if the turn was cancelled meanwhile, even if the work failed: after a cancel nothing
 * runs, whatever the reply.
 */
const unlessCancelled = async <T>(turn: Turn, work: Promise<T>): Promise<T | undefined> => {
  try {
    const done = await work;
    return turn.isCancelled ? undefined : done;
  } catch (error) {
    if (turn.isCancelled) return undefined;
    throw error;
  }
};

const specOf = (
  turn: Turn,
  { kind, checkedCall, session, options, refusalFor }: PlannedInputRequest,
): InputRequestSpec => ({
  kind,
  ...(checkedCall && { call: checkedCall.call }),
  ...(session && { session }),
  options,
  deadline: turn.meter.deadline(),
  ...(refusalFor && { refusalFor }),
});

const requestedEvent = (
  { kind, checkedCall, options, default: fallback, message }: PlannedInputRequest,
  { inputId, expiresAt, shown }: InputRequestPreparation & { kind: 'ready' },
): InputRequested => ({
  type: 'input_requested',
  inputId,
  kind,
  message: message(shown),
  ...(checkedCall && { tool: checkedCall.declaration.name, callId: checkedCall.call.id }),
  ...shown,
  ...(checkedCall && { effect: checkedCall.declaration.effect }),
  options: [...options],
  default: fallback,
  expiresAt,
});
