import { sql, type Selectable } from 'kysely';
import type { ClientTool } from '../../contracts/tools/client-tools.ts';
import type { WaitingFor } from '../../contracts/inputs/waiting-for.ts';
import { inputIdOf } from '../../contracts/inputs/input-id.ts';
import type { TurnCost, TurnStatus, TurnWaste } from '../../contracts/turn/turn-facts.ts';
import type { TokenUsage } from '../../contracts/model/model-message.ts';
import type { TerminalEvent } from '../../contracts/wire/turn-event.ts';
import type { TurnInput } from '../../contracts/payload/turn-workflow-payloads.ts';
import type { TurnsTable } from '../tables/turn-tables.ts';

/** The event that ended a turn, under its id. `after` is the id of the event that it follows, or null for none. */
export interface StoredTerminal {
  readonly id: string;
  readonly after: string | null;
  readonly event: TerminalEvent;
}

/** A turn as it is stored. Fields that are known only at the end are null while the turn runs. */
export interface TurnRow {
  readonly turnId: string;
  readonly projectId: string;
  readonly conversationId: string;
  readonly requestHash: string;
  readonly input: TurnInput;
  readonly clientTools: readonly ClientTool[];
  readonly runId: string | null;
  readonly protocol: TurnInput['protocol'];
  readonly mode: TurnInput['mode'];
  readonly status: TurnStatus;
  /** Reason of `done` or code of `error`. */
  readonly reason: string | null;
  readonly terminal: StoredTerminal | null;
  readonly usage: TokenUsage | null;
  readonly phase: number | null;
  readonly cycle: number | null;
  readonly waste: TurnWaste | null;
  /**
   * The cost of the turn, until now if it runs. Null if a call had no price, or if the cost of a running turn was not
   * read.
   */
  readonly cost: TurnCost | null;
  readonly content: string | null;
  /**
   * The client that first asked the gateway to cancel the turn: the name of an API key, or `local` without keys. Null
   * if none did.
   */
  readonly cancelledBy: string | null;
  /** The input request that the turn waits for. Null when there is none. */
  readonly waitingFor: WaitingFor | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

interface StoredWait {
  readonly n: number;
  readonly kind: WaitingFor['kind'];
  readonly expires_at: string;
}

/** An additional column for `turns`: the input request that the turn waits for, which is null for most turns. */
export const OPEN_INPUT = sql<StoredWait | null>`(
  select json_build_object('n', n, 'kind', kind, 'expires_at', expires_at) from input_requests request
  where request.turn_id = turns.turn_id and request.state = 'open' limit 1)`.as('waiting');

/**
 * An additional column for `turns`: the cost of a running turn so far. It is null if a call had no price, or if the
 * turn has ended.
 */
export const COST_SO_FAR = sql<TurnCost | null>`(
  select json_build_object('total', coalesce(sum(cost), 0), 'wasted', coalesce(sum(cost) filter (where wasted), 0))
  from call_spend where call_spend.turn_id = turns.turn_id and turns.status = 'running'
  having count(distinct step) = (select count(*) from jsonb_object_keys(turns.claims)))`.as('so_far');

/** Condition of a row of `turns` that waits for nobody. */
export const HAS_NO_OPEN_INPUT = sql<boolean>`not exists (
  select from input_requests request where request.turn_id = turns.turn_id and request.state = 'open')`;

/** Returns a row of `turns` as the rest of the code has it: names in camelCase, the terminal event put together. */
export const toTurnRow = (
  row: Selectable<TurnsTable> & { waiting?: StoredWait | null; so_far?: TurnCost | null },
): TurnRow => ({
  turnId: row.turn_id,
  projectId: row.project_id,
  conversationId: row.conversation_id,
  requestHash: row.request_hash,
  input: row.start_input,
  clientTools: row.client_tools ?? [],
  runId: row.run_id,
  protocol: row.protocol,
  mode: row.mode,
  status: row.status,
  reason: row.reason,
  terminal: toTerminal(row),
  usage: row.usage,
  phase: row.phase,
  cycle: row.cycle,
  waste: row.waste,
  cost: costOfRow(row) ?? (row.status === 'running' ? (row.so_far ?? null) : null),
  content: row.content,
  cancelledBy: row.cancelled_by,
  waitingFor: row.waiting ? toWaitingFor(row.turn_id, row.waiting) : null,
  startedAt: row.started_at,
  endedAt: row.ended_at,
});

const costOfRow = ({ cost, wasted_cost: wasted }: Pick<Selectable<TurnsTable>, 'cost' | 'wasted_cost'>) =>
  cost === null ? undefined : { total: Number(cost), wasted: Number(wasted ?? 0) };

const toWaitingFor = (turnId: string, { n, kind, expires_at: at }: StoredWait): WaitingFor => ({
  inputId: inputIdOf(turnId, n),
  kind,
  expiresAt: new Date(at).toISOString(),
});

/** Returns the terminal event of a row, or null while its turn runs. */
export const toTerminal = (
  row: Pick<Selectable<TurnsTable>, 'terminal_id' | 'terminal_after' | 'terminal'>,
): StoredTerminal | null => {
  if (row.terminal_id === null || row.terminal === null) return null;
  return { id: row.terminal_id, after: row.terminal_after, event: row.terminal };
};
