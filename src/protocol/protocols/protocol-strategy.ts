import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { ExecutionContextParts } from '../turn/execution-context.ts';
import type { ModelAdapter } from '../ports/model-port.ts';
import type { ToolExecutor } from '../ports/tool-executor.ts';
import type { WallClock } from '../ports/wall-clock.ts';
import type { TraceService } from '../ports/trace-service.ts';

/**
 * The ports with which a protocol is built. A host that embeds the core may build a protocol once and run it with
 * several contexts (docs/protocol.md "Embedding"). Each run uses the ports of its context, which must have all of them
 * except `clock`. A run whose context has no clock uses the clock given here.
 */
export interface ProtocolPorts {
  readonly adapter: ModelAdapter;
  readonly tools: ToolExecutor;
  readonly traceService: TraceService;
  readonly clock?: WallClock | undefined;
}

/**
 * One way of running a turn. Hosts that embed the core know its methods by these names. How to add a protocol:
 * CONTRIBUTING.md "A protocol".
 */
export interface ProtocolStrategy {
  /** Returns the name of the protocol for people and traces. */
  getName(): string;
  /**
   * Reports whether the protocol handles this request. If not, the request is refused before its first event. Orion's
   * protocols handle every request, but one of a host may refuse some.
   */
  canHandle(context: ExecutionContextParts): boolean;
  /**
   * Runs one turn; exactly one terminal event comes last. Throws only for a context that `ProtocolExecutionContext`
   * refuses.
   */
  executeStreaming(context: ExecutionContextParts): AsyncGenerator<TurnEvent, void, undefined>;
}
