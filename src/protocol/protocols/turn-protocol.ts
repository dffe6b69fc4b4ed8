import { errorMessage } from '../../contracts/values/error-message.ts';
import type { DoneReason, TurnEvent } from '../../contracts/wire/turn-event.ts';
import { type ExecutionContextParts, ProtocolExecutionContext } from '../turn/execution-context.ts';
import { ModelCallError } from '../ports/model-port.ts';
import type { WallClock } from '../ports/wall-clock.ts';
import type { ProtocolPorts, ProtocolStrategy } from './protocol-strategy.ts';
import { concludeUnlessSteered } from '../turn/apply-steers.ts';
import { Turn } from '../turn/turn.ts';

const INTERNAL_ERROR = 'An internal error ended the turn.';

/**
 * Runs one turn by a protocol and ends it with exactly one terminal event (I1 of docs/protocol.md "Invariants"): `done`
 * with the reason that the protocol returns, or `error` for what it throws. Never throws.
 */
export const runTurn = async function* (
  context: ProtocolExecutionContext,
  runProtocol: RunProtocol,
): AsyncGenerator<TurnEvent, void, undefined> {
  const turn = new Turn(context);
  const userMessage = context.messages.findLast((message) => message.role === 'user');
  turn.trace({ type: 'user_message', source: 'user', summary: userMessage?.content ?? '' });
  let terminal: TurnEvent;
  try {
    terminal = turn.finish(yield* untilConcluded(turn, runProtocol));
  } catch (error) {
    terminal = turn.isCancelled ? turn.finish('cancelled') : failure(turn, error);
  }
  yield terminal;
};

/**
 * Runs the protocol until the turn is over. It runs again, even after an answer, while a message waits that the model
 * has not read and still can read.
 */
const untilConcluded = async function* (
  turn: Turn,
  runProtocol: RunProtocol,
): AsyncGenerator<TurnEvent, DoneReason, undefined> {
  for (;;) {
    const reason = yield* runProtocol(turn);
    if (reason === 'cancelled' || concludeUnlessSteered(turn)) return reason;
  }
};

/**
 * Takes a turn through the phases of one protocol. It first hands the model the messages that the user has sent
 * meanwhile, and returns the reason for which the turn would end now.
 */
export type RunProtocol = (turn: Turn) => AsyncGenerator<TurnEvent, DoneReason, undefined>;

/** A protocol that handles every request and differs from the others only in the phases of its turns. */
export abstract class TurnProtocol implements ProtocolStrategy {
  readonly #clock: WallClock | undefined;
  readonly #runProtocol: RunProtocol;

  /** Only the clock of the ports is kept, since a run takes all others from its context. */
  constructor({ clock }: ProtocolPorts, runProtocol: RunProtocol) {
    this.#clock = clock;
    this.#runProtocol = runProtocol;
  }

  abstract getName(): string;

  canHandle(_context: ExecutionContextParts): boolean {
    return true;
  }

  async *executeStreaming(context: ExecutionContextParts): AsyncGenerator<TurnEvent, void, undefined> {
    const clock = context.clock ?? this.#clock;
    yield* runTurn(new ProtocolExecutionContext({ ...context, clock }), this.#runProtocol);
  }
}

const failure = (turn: Turn, error: unknown): TurnEvent => {
  const message = errorMessage(error);
  turn.trace({ type: 'system_error', source: 'system', summary: 'the turn failed', error: message });
  // Only the message of a `ModelCallError` is meant for users.
  return error instanceof ModelCallError
    ? { type: 'error', code: error.code, message }
    : { type: 'error', code: 'internal_error', message: INTERNAL_ERROR };
};
