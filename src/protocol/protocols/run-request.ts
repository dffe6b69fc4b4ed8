import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { ModelMessage } from '../../contracts/model/model-message.ts';
import type { TurnMode } from '../../contracts/tools/tool-call.ts';
import type { ProtocolConfig } from '../../contracts/turn/budgets.ts';
import type { ProtocolName } from '../../contracts/turn/turn-facts.ts';
import { type Cancellation, ProtocolExecutionContext } from '../turn/execution-context.ts';
import type { WriteSessionPort } from '../ports/write-session-port.ts';
import type { InputPort } from '../ports/input-port.ts';
import type { SteerPort } from '../ports/steer-port.ts';
import { createProtocol } from './protocol-registry.ts';
import type { ProtocolPorts, ProtocolStrategy } from './protocol-strategy.ts';

/**
 * The input of a turn. It has either `messages`, the whole conversation, or only `content`, the text of one message.
 */
export interface RunRequest {
  readonly projectId: string;
  readonly requestId: string;
  readonly content?: string;
  readonly messages?: readonly ModelMessage[];
  readonly mode: TurnMode;
  readonly protocol: ProtocolName;
  readonly config: ProtocolConfig;
}

/** The ports of a turn: model and tools, and whatever else its host offers. */
export interface TurnPorts extends ProtocolPorts {
  readonly cancellation?: Cancellation | undefined;
  readonly writeSessions?: WriteSessionPort | undefined;
  readonly inputs?: InputPort | undefined;
  readonly steers?: SteerPort | undefined;
}

/**
 * Runs one request under its protocol and yields the turn's events, the terminal one last. Before the first event,
 * throws RangeError for a setting that is out of its bounds, and Error for an incomplete request or one that its
 * protocol refuses. `create` makes the protocol with the requested name: by default one of Orion's, but a host may
 * bring its own.
 */
export const runRequest = async function* (
  ports: TurnPorts,
  request: RunRequest,
  create = createProtocol,
): AsyncGenerator<TurnEvent, void, undefined> {
  const { projectId, requestId, mode, config } = request;
  const protocol: ProtocolStrategy = create(request.protocol, ports);
  const messages = messagesOf(request);
  const context = new ProtocolExecutionContext({ ...ports, messages, mode, projectId, requestId, config });
  if (!protocol.canHandle(context)) {
    throw new Error(`Protocol ${protocol.getName()} cannot handle request`);
  }
  yield* protocol.executeStreaming(context);
};

const messagesOf = ({ messages, content }: RunRequest): readonly ModelMessage[] => {
  if (messages) return messages;
  if (content === undefined) throw new Error('content is required');
  return [{ role: 'user', content }];
};
