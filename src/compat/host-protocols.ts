/*
 * The classes of the protocol core under the names and with the fields by which hosts know them (docs/protocol.md
 * "Embedding"). These names stay for as long as hosts may embed the core. Hosts may be written in JavaScript, so a
 * missing field is reported at run time.
 */
import type { TurnEvent } from '../contracts/wire/turn-event.ts';
import type { TraceService } from '../protocol/ports/trace-service.ts';
import type { WallClock } from '../protocol/ports/wall-clock.ts';
import type { ModelAdapter } from '../protocol/ports/model-port.ts';
import type { ToolExecutor } from '../protocol/ports/tool-executor.ts';
import type { ProtocolPorts, ProtocolStrategy } from '../protocol/protocols/protocol-strategy.ts';
import { StandardProtocol } from '../protocol/protocols/standard-protocol.ts';
import { TwoStageProtocol } from '../protocol/protocols/two-stage-protocol.ts';
import { type ExecutionContextParts, ProtocolExecutionContext } from '../protocol/turn/execution-context.ts';
import type { LlmAdapter } from './llm-adapter.ts';
import { toModelAdapter } from './adapted-model.ts';

/** The ports with which hosts build a protocol; `toolRegistry` is another name for `tools`. */
export interface HostPorts {
  readonly adapter: LlmAdapter | ModelAdapter;
  readonly tools?: ToolExecutor;
  readonly toolRegistry?: ToolExecutor;
  readonly traceService: TraceService;
  readonly clock?: WallClock | undefined;
}

/** The fields with which hosts build the context of a run. */
export type HostContext = Omit<ExecutionContextParts, keyof ProtocolPorts> & HostPorts;

/**
 * Returns a host's fields under the names of the core. A missing field stays missing, so that the core refuses it by
 * its name when a run begins.
 */
export const toCorePorts = <T extends HostPorts>({ adapter, tools, toolRegistry, ...rest }: T) => ({
  ...rest,
  adapter: toModelAdapter(adapter),
  tools: (tools ?? toolRegistry) as ToolExecutor,
});

/** The base class of a host's own protocols. Each of its methods throws until a subclass implements it. */
abstract class HostStrategy implements ProtocolStrategy {
  constructor() {
    // `abstract` has no effect at run time: without this check, JavaScript code would fail only at the first call.
    if (new.target === HostStrategy) {
      throw new TypeError('ProtocolStrategy is abstract: construct a class that extends it');
    }
  }

  getName(): string {
    throw missingMethodError('getName');
  }

  canHandle(_context: HostContext): boolean {
    throw missingMethodError('canHandle');
  }

  // oxlint-disable-next-line require-yield -- there is nothing to yield before a subclass exists
  async *executeStreaming(_context: HostContext): AsyncGenerator<TurnEvent, void, undefined> {
    throw missingMethodError('executeStreaming');
  }
}

const missingMethodError = (method: string): Error =>
  new Error(`${method}() must be implemented by protocol`);

/**
 * A checked context of a run. The constructor throws `<name> is required` for a missing field, and RangeError for a
 * setting that is out of its bounds.
 */
class HostExecutionContext extends ProtocolExecutionContext {
  readonly toolRegistry: ToolExecutor;

  constructor(input: HostContext) {
    super(toCorePorts(input));
    this.toolRegistry = this.tools;
  }
}

/** Returns a class of the core that is constructed and run with the field names of hosts. */
const withHostFields = (CoreProtocol: new (ports: ProtocolPorts) => ProtocolStrategy) =>
  class extends CoreProtocol {
    readonly adapter: ModelAdapter;
    readonly tools: ToolExecutor;
    readonly traceService: TraceService;

    constructor(ports: HostPorts) {
      const corePorts = toCorePorts(ports);
      super(corePorts);
      this.adapter = corePorts.adapter;
      this.tools = corePorts.tools;
      this.traceService = corePorts.traceService;
    }

    override executeStreaming(context: HostContext): AsyncGenerator<TurnEvent, void, undefined> {
      return super.executeStreaming(toCorePorts(context));
    }
  };

/** The two-stage protocol with the field names of hosts (docs/protocol.md "Two-stage (A/B) cycle"). */
class HostTwoStage extends withHostFields(TwoStageProtocol) {}

/** The standard protocol with the field names of hosts (docs/protocol.md "Standard protocol"). */
class HostStandard extends withHostFields(StandardProtocol) {}

export {
  HostExecutionContext as ProtocolExecutionContext,
  HostStandard as StandardProtocol,
  HostStrategy as ProtocolStrategy,
  HostTwoStage as TwoStageProtocol,
};
