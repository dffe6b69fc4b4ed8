import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { ExecutionContextInput } from '../turn/execution-context.ts';
import type { ModelAdapter } from '../ports/model-port.ts';
import type { ToolExecutor } from '../ports/tool-executor.ts';
import type { WallClock, TraceService } from '../ports/host.ts';

/**
 * What a protocol is built with. A run takes its ports from its context, which must be complete; only a missing
 * `clock` is taken from here. `toolRegistry` is an alias of `tools`.
 */
export interface ProtocolPorts {
  readonly adapter: ModelAdapter;
  readonly tools?: ToolExecutor;
  readonly toolRegistry?: ToolExecutor;
  readonly traceService: TraceService;
  readonly clock?: WallClock | undefined;
}

const missing = (method: string): Error => new Error(`${method}() must be implemented by protocol`);

/**
 * One way of running a turn. To add one: a subclass, and a line in `protocol-registry.ts`. Methods that throw are for
 * hosts whose JavaScript has no types (docs/protocol.md "Embedding").
 */
export abstract class ProtocolStrategy {
  constructor() {
    // Types are gone at run time, and JavaScript code would only find out at the first call.
    if (new.target === ProtocolStrategy) {
      throw new TypeError('ProtocolStrategy is abstract: construct a class that extends it');
    }
  }

  /** Name for people and traces. */
  getName(): string {
    throw missing('getName');
  }

  canHandle(_context: ExecutionContextInput): boolean {
    throw missing('canHandle');
  }

  /** Runs one turn; exactly one terminal event comes last. Throws only for a context that is unusable. */
  // oxlint-disable-next-line require-yield -- there is nothing to yield before a subclass exists
  async *executeStreaming(_context: ExecutionContextInput): AsyncGenerator<TurnEvent, void, undefined> {
    throw missing('executeStreaming');
  }
}
