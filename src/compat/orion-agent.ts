import type { TurnEvent } from '../contracts/wire/turn-event.ts';
import { createProtocol } from '../protocol/protocols/protocol-registry.ts';
import type { ProtocolStrategy } from '../protocol/protocols/protocol-strategy.ts';
import { runRequest, type TurnPorts, type RunRequest } from '../protocol/protocols/run-request.ts';
import { type HostPorts, toCorePorts } from './host-protocols.ts';

/** Runs turns for hosts that embed Orion in their own process (docs/protocol.md "Embedding"). */
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

  /** Returns the protocol of the latest request, or the two-stage protocol before the first request. */
  getCurrentProtocol(): ProtocolStrategy {
    return this.#protocol;
  }

  /** Runs one turn and yields its events. Throws what `runRequest` throws. */
  async *handleRequestStreaming(request: RunRequest): AsyncGenerator<TurnEvent, void, undefined> {
    yield* runRequest(this.#ports, request, (name, ports) => (this.#protocol = this.#create(name, ports)));
  }
}
