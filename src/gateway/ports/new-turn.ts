import type { ApprovalSetting } from '../../contracts/inputs/approvals.ts';
import type { TurnMetadata } from '../../contracts/http/turn-api.ts';
import type { ProtocolName } from '../../contracts/turn/turn-facts.ts';
import type { TurnMode } from '../../contracts/tools/tool-call.ts';
import type { ClientTool } from '../../contracts/tools/client-tools.ts';
import type { AcceptedInputKind } from '../../contracts/wire/input-events.ts';

/** A turn as a request asks for it, checked. Fields that may be absent get their defaults when the turn starts. */
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
  /** The tool calls about which the client wants a person to be asked, in addition to those of the configuration. */
  readonly approvals?: ApprovalSetting;
  /** The kinds of input requests that the client can show, in addition to approvals. */
  readonly inputs?: readonly AcceptedInputKind[];
  /** Tools that the client runs itself. Absent when there are none. */
  readonly clientTools?: readonly ClientTool[];
  /**
   * `client` means that the client may finalize the write sessions of the turn itself. The turn gives it time before it
   * commits a text (docs/write-sessions.md "In a turn").
   */
  readonly writeSession?: 'client';
  /** The turn that this one continues. Null means none, and absent means the newest turn of the conversation. */
  readonly parentTurnId?: string | null;
  readonly metadata: TurnMetadata;
  /** What the turns of the key may cost on a UTC day, in whole millionths of the currency. Absent means no limit. */
  readonly costPerDay?: number;
  /** The hash that `requestHashOf` returns. Two requests with the same turnId and the same hash are one request. */
  readonly requestHash: string;
}
