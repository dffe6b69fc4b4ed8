import type { DoneReason, TurnEvent } from '../../contracts/wire/turn-event.ts';
import { type ExecutionContextInput, ProtocolExecutionContext } from './execution-context.ts';
import {
  type Clock,
  type ModelAdapter,
  type ToolExecutor,
  type TraceService,
  ModelCallError,
} from './ports.ts';
import { type ProtocolPorts, ProtocolStrategy } from './protocol-strategy.ts';
import { Turn } from './turn.ts';

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

/** The steps of a turn under one protocol; what they return is why it ended. */
export type TurnSteps = (turn: Turn) => AsyncGenerator<TurnEvent, DoneReason, undefined>;

/** A protocol that handles every request and differs from the others in the steps of its turns alone. */
export abstract class TurnProtocol extends ProtocolStrategy {
  /** What it was made of; a run takes its own from its context. */
  readonly adapter: ModelAdapter;
  readonly tools: ToolExecutor | undefined;
  readonly traceService: TraceService;
  readonly #clock: Clock | undefined;
  readonly #steps: TurnSteps;

  constructor(ports: ProtocolPorts, steps: TurnSteps) {
    super();
    this.adapter = ports.adapter;
    this.tools = ports.tools ?? ports.toolRegistry;
    this.traceService = ports.traceService;
    this.#clock = ports.clock;
    this.#steps = steps;
  }

  override canHandle(_context: ExecutionContextInput): boolean {
    return true;
  }

  override async *executeStreaming(
    context: ExecutionContextInput,
  ): AsyncGenerator<TurnEvent, void, undefined> {
    const clock = context.clock ?? this.#clock;
    yield* runTurn(new ProtocolExecutionContext({ ...context, clock }), this.#steps);
  }
}
