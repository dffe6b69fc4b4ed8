import type { ApprovalSetting } from '../../contracts/inputs/approvals.ts';
import type { TurnMetadata } from '../../contracts/http/turn-api.ts';
import type { ProtocolName } from '../../contracts/turn/turn-facts.ts';
import type { TurnMode } from '../../contracts/tools/tool-call.ts';
import type { ClientTool } from '../../contracts/tools/client-tools.ts';
import type { AcceptedInput } from '../../contracts/wire/input-events.ts';

/** A turn as a request asks for it, with every default filled in. */
export interface NewTurn {
  /** Id of the turn, and of the request that asked for it. */
  readonly turnId: string;
  readonly projectId: string;
  readonly conversationId: string;
  readonly content: string;
  readonly mode: TurnMode;
  readonly protocol: ProtocolName;
  /** Replaces the configured budget. Absent means that the configured one counts. */
  readonly maxPhaseCycles?: number;
  /** Replaces the configured model. Absent means that the configured one is used. */
  readonly model?: string;
  /** The calls about which the request wants to be asked, beside those that are configured. */
  readonly approvals?: ApprovalSetting;
  /** The kinds of requests that its client can show, beside approvals. */
  readonly inputs?: readonly AcceptedInput[];
  /** Tools that its client runs itself. */
  readonly clientTools?: readonly ClientTool[];
  /** `client` says that the client is the first to finalize write sessions. */
  readonly writeSession?: 'client';
  /** The parent of the turn. Null means none, and absent means the newest turn of the conversation. */
  readonly parentTurnId?: string | null;
  readonly metadata: TurnMetadata;
  /** The largest cost of its key on a day, in whole millionths. Absent means no limit. */
  readonly costPerDay?: number;
  /** Hash by `requestHash`: two requests with one turnId and one hash are the same request. */
  readonly requestHash: string;
}
