import type { ProtocolName } from '../../contracts/turn/turn-facts.ts';
import type { ProtocolPorts, ProtocolStrategy } from './protocol-strategy.ts';
import { StandardProtocol } from './standard-protocol.ts';
import { TwoStageProtocol } from './two-stage-protocol.ts';

const PROTOCOLS: Readonly<Record<ProtocolName, new (ports: ProtocolPorts) => ProtocolStrategy>> = {
  two_stage: TwoStageProtocol,
  standard: StandardProtocol,
};

/** Creates the protocol with this name. Throws Error for a name that is not registered. */
export const createProtocol = (name: ProtocolName, ports: ProtocolPorts): ProtocolStrategy => {
  if (!Object.hasOwn(PROTOCOLS, name)) {
    const names = Object.keys(PROTOCOLS).join(' or ');
    throw new Error(`protocol: expected ${names}, received ${JSON.stringify(name)}`);
  }
  return new PROTOCOLS[name](ports);
};
