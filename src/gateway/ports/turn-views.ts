import type { WaitingFor } from '../../contracts/inputs/waiting-for.ts';
import type { TurnInput } from '../../contracts/payload/turn-workflow-payloads.ts';
import type { ProtocolName, TurnCost, TurnStatus, TurnWaste } from '../../contracts/turn/turn-facts.ts';
import type { TokenUsage } from '../../contracts/model/model-message.ts';
import type { TurnMode } from '../../contracts/tools/tool-call.ts';
import type { ClientTool } from '../../contracts/tools/client-tools.ts';

/** The part of a turn that the routes read. A row of `turns` fits this type. */
export interface TurnView {
  readonly turnId: string;
  readonly projectId: string;
  readonly conversationId: string;
  readonly status: TurnStatus;
  readonly reason: string | null;
  readonly protocol: ProtocolName;
  readonly mode: TurnMode;
  /** The tools that the client of the turn runs itself. Absent when there are none. */
  readonly clientTools?: readonly ClientTool[];
  readonly input: Pick<TurnInput, 'budgets'> & Partial<Pick<TurnInput, 'model' | 'writeSession' | 'inputs'>>;
  /** The phase and the cycle in which the turn ended. Both are null while the turn runs. */
  readonly phase: number | null;
  readonly cycle: number | null;
  readonly usage: TokenUsage | null;
  readonly waste: TurnWaste | null;
  /** The cost of the turn, or of a running turn so far. Null if a call had no price. */
  readonly cost: TurnCost | null;
  readonly content: string | null;
  /** The client that asked for the cancel: the name of an API key, or `local`. Null if none did. */
  readonly cancelledBy: string | null;
  /** The terminal event. Null while the turn runs. */
  readonly terminal: { readonly id: string } | null;
  /** The open input request of a running turn. Null when there is none. */
  readonly waitingFor: WaitingFor | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

/** A workflow's answer about its running turn. */
export interface RunningTurnProgress {
  readonly phase: number;
  /** Tools executed so far. */
  readonly cycle: number;
  readonly waste: TurnWaste;
  /** The model's text as far as it is durable. Null when the workflow does not tell it in time. */
  readonly content: string | null;
}

/** Turns as the routes read them: rows from Postgres, progress from the workflow. */
export interface TurnReader {
  /** Returns a turn, or undefined for an unknown one. Rejects when Postgres cannot be reached. */
  find(turnId: string): Promise<TurnView | undefined>;
  /** Returns the ids of the running turns of an API key in this protocol; turns that wait for a person do not count. */
  listRunning(startedBy: string, protocol: ProtocolName): Promise<readonly string[]>;
  /**
   * Returns the state of a running turn. Returns undefined when the workflow fails to tell it in time. Never rejects.
   */
  readProgress(turnId: string): Promise<RunningTurnProgress | undefined>;
}
