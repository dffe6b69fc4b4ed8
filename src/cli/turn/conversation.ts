import type { Mode } from '../../contracts/tool-call.ts';
import type { ProtocolName } from '../../contracts/turn.ts';
import type { TurnRequest } from '../http/turns.ts';

/** Where and how questions are asked. */
export interface Conversation {
  readonly conversationId: string;
  readonly mode: Mode;
  /** Undefined: the gateway's choice. */
  readonly protocol: ProtocolName | undefined;
  /** Undefined: the gateway's choice. */
  readonly model: string | undefined;
  /** Tool executions that a turn may make. */
  readonly maxCycles: number;
}

export const requestOf = (
  { conversationId, mode, protocol, model, maxCycles }: Conversation,
  { projectId, content, requestId }: Pick<TurnRequest, 'projectId' | 'content' | 'requestId'>,
): TurnRequest => ({
  projectId,
  conversationId,
  content,
  mode,
  requestId,
  metadata: {
    maxPhaseCycles: maxCycles,
    writeSession: 'client',
    ...(protocol !== undefined && { protocol }),
    ...(model !== undefined && { model }),
  },
});
