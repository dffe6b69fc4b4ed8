import type { TurnEvent } from '../contracts/wire/turn-event.ts';
import { createProtocol } from '../protocol/protocols/protocol-registry.ts';
import type { ProtocolStrategy } from '../protocol/protocols/protocol-strategy.ts';
import { runRequest, type TurnPorts, type RunRequest } from '../protocol/protocols/run-request.ts';
import { type HostPorts, toCorePorts } from './host-protocols.ts';

/** One object for hosts that run turns in their own process (docs/protocol.md "Embedding"). */
export class OrionAgent {
  readonly #ports: TurnPorts;
  readonly #create: typeof createProtocol;
  #protocol: ProtocolStrategy;

  /** `create` makes the protocol, as in `runRequest`. */
  constructor(ports: Omit<TurnPorts, keyof HostPorts> & HostPorts, create = createProtocol) {
    this.#ports = toCorePorts(ports);
    this.#create = create;
    this.#protocol = create('two_stage', this.#ports);
  }

  /** The protocol of the latest request; two-stage before the first. */
  getCurrentProtocol(): ProtocolStrategy {
    return this.#protocol;
  }

  /** Runs one turn and yields its events. Throws as `runRequest`. */
  async *handleRequestStreaming(request: RunRequest): AsyncGenerator<TurnEvent, void, undefined> {
    yield* runRequest(this.#ports, request, (name, ports) => (this.#protocol = this.#create(name, ports)));
  }
}
