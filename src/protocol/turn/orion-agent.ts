import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { ModelMessage } from '../../contracts/model-message.ts';
import type { Mode } from '../../contracts/tool-call.ts';
import type { ProtocolName } from '../../contracts/turn.ts';
import { type ExecutionContextInput, ProtocolExecutionContext } from './execution-context.ts';
import type { Cancellation, ProtocolConfig, WriteSessionPort } from './ports.ts';
import { createProtocol } from './protocol-registry.ts';
import type { ProtocolPorts, ProtocolStrategy } from './protocol-strategy.ts';

/** One request to the agent: a text, or the whole conversation. */
export interface AgentRequest {
  readonly projectId: string;
  readonly requestId: string;
  readonly content?: string;
  readonly messages?: readonly ModelMessage[];
  readonly mode: Mode;
  readonly protocol: ProtocolName;
  readonly config: ProtocolConfig;
}

export interface AgentPorts extends ProtocolPorts {
  readonly cancellation?: Cancellation | undefined;
  readonly writeSessions?: WriteSessionPort | undefined;
}

const messagesOf = ({ messages, content }: AgentRequest): readonly ModelMessage[] => {
  if (messages) return messages;
  if (content === undefined) throw new Error('content is required');
  return [{ role: 'user', content }];
};

/** Knows no protocol: builds the execution context, lets the chosen protocol run it. */
export class OrionAgent {
  readonly #ports: AgentPorts;
  readonly #create: typeof createProtocol;
  #protocol: ProtocolStrategy;

  /** `create` makes the protocol of a name: the registry, unless a host brings protocols of its own. */
  constructor(ports: AgentPorts, create = createProtocol) {
    this.#ports = ports;
    this.#create = create;
    this.#protocol = create('two_stage', ports);
  }

  /** For hosts (docs/protocol.md "Embedding"): the protocol of the latest request; two-stage before the first. */
  getCurrentProtocol(): ProtocolStrategy {
    return this.#protocol;
  }

  /**
   * Runs one turn and yields its events, the terminal one last. Throws, before the first event, for a request that
   * is incomplete or that its protocol refuses.
   */
  async *handleRequestStreaming(request: AgentRequest): AsyncGenerator<TurnEvent, void, undefined> {
    this.#protocol = this.#create(request.protocol, this.#ports);
    const context = new ProtocolExecutionContext(this.#contextOf(request));
    if (!this.#protocol.canHandle(context)) {
      throw new Error(`Protocol ${this.#protocol.getName()} cannot handle request`);
    }
    yield* this.#protocol.executeStreaming(context);
  }

  #contextOf(request: AgentRequest): ExecutionContextInput {
    const { projectId, requestId, mode, config } = request;
    return { ...this.#ports, messages: messagesOf(request), mode, projectId, requestId, config };
  }
}
