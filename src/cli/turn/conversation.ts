import type { ApprovalSetting } from '../../contracts/inputs/approvals.ts';
import type { AcceptedInputKind } from '../../contracts/wire/input-events.ts';
import type { TurnMode } from '../../contracts/tools/tool-call.ts';
import type { ProtocolName } from '../../contracts/turn/turn-facts.ts';
import type { TurnRequest } from '../http/turn-client.ts';

/** The conversation to which messages go, and the options of their turns: mode, protocol, model and the like. */
export interface Conversation {
  readonly conversationId: string;
  readonly mode: TurnMode;
  /** Protocol of its turns. Undefined means the gateway's default. */
  readonly protocol: ProtocolName | undefined;
  /** Model of its turns. Undefined means the gateway's default. */
  readonly model: string | undefined;
  /** The tools that need an approval, besides those for which the gateway requires one. Undefined means no others. */
  readonly approve: ApprovalSetting | undefined;
  /** The kinds of requests, besides approvals, that a turn may make of the person here. */
  readonly accepts: readonly AcceptedInputKind[];
  /** Maximum number of tools that a turn may execute. */
  readonly maxCycles: number;
  /** The parent of the next turn, as in `NewTurn`. */
  readonly parentTurnId?: string | null | undefined;
}

/** Returns the request that sends `content` into a conversation. */
export const turnRequestOf = (
  { conversationId, parentTurnId, mode, protocol, model, approve, accepts, maxCycles }: Conversation,
  { projectId, content, requestId }: Pick<TurnRequest, 'projectId' | 'content' | 'requestId'>,
): TurnRequest => ({
  projectId,
  conversationId,
  content,
  mode,
  requestId,
  ...(parentTurnId !== undefined && { parentTurnId }),
  metadata: {
    maxPhaseCycles: maxCycles,
    writeSession: 'client',
    ...(protocol !== undefined && { protocol }),
    ...(model !== undefined && { model }),
    ...(approve !== undefined && { approvals: approve }),
    ...(accepts.length > 0 && { inputs: accepts }),
  },
});
