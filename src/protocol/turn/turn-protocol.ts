import type { DoneReason, TurnEvent } from '../../contracts/wire/turn-event.ts';
import { type ExecutionContextInput, ProtocolExecutionContext } from './execution-context.ts';
import type { Clock, ModelAdapter, ToolExecutor, TraceService } from './ports.ts';
import type { ProtocolEvent } from './protocol-events.ts';
import { type ProtocolPorts, ProtocolStrategy } from './protocol-strategy.ts';
import { runTurn } from './run-turn.ts';
import type { Turn } from './turn.ts';

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
  ): AsyncGenerator<ProtocolEvent, void, undefined> {
    const clock = context.clock ?? this.#clock;
    yield* runTurn(new ProtocolExecutionContext({ ...context, clock }), this.#steps);
  }
}
