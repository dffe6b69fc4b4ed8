import type { DoneReason, TurnEvent } from '../../contracts/wire/turn-event.ts';
import { ModelCallError } from './model-call-error.ts';
import { Turn } from './turn.ts';
import type { ProtocolExecutionContext } from './execution-context.ts';

const INTERNAL_ERROR = 'An internal error ended the turn.';

const failure = (turn: Turn, error: unknown): TurnEvent => {
  const message = error instanceof Error ? error.message : String(error);
  turn.trace({ type: 'system_error', source: 'system', summary: 'the turn failed', error: message });
  return error instanceof ModelCallError
    ? { type: 'error', code: error.code, message }
    : { type: 'error', code: 'internal_error', message: INTERNAL_ERROR };
};

/**
 * Runs the steps of a protocol as one turn and ends it with exactly one terminal event (I1): `done` with the
 * reason that the steps return, `error` for what they throw. Never throws.
 */
export async function* runTurn(
  context: ProtocolExecutionContext,
  steps: (turn: Turn) => AsyncGenerator<TurnEvent, DoneReason, undefined>,
): AsyncGenerator<TurnEvent, void, undefined> {
  const turn = new Turn(context);
  const question = context.messages.findLast((message) => message.role === 'user');
  turn.trace({ type: 'user_message', source: 'user', summary: question?.content ?? '' });
  let terminal: TurnEvent;
  try {
    terminal = turn.done(yield* steps(turn));
  } catch (error) {
    terminal = turn.cancelled ? turn.done('cancelled') : failure(turn, error);
  }
  yield terminal;
}
