import type { Selectable } from 'kysely';
import type { TurnStatus, Waste } from '../contracts/turn.ts';
import type { Usage } from '../contracts/model-message.ts';
import type { TerminalEvent } from '../contracts/wire/turn-event.ts';
import type { TurnInput } from '../contracts/payload/turn-workflow.ts';
import type { TurnsTable } from './schema.ts';

/** The event that ended a turn, under its id; `after`: id of the event it follows, null for none. */
export interface StoredTerminal {
  readonly id: string;
  readonly after: string | null;
  readonly event: TerminalEvent;
}

/** A turn as it is stored. What only the end brings is null while it runs. */
export interface TurnRow {
  readonly turnId: string;
  readonly projectId: string;
  readonly conversationId: string;
  readonly requestHash: string;
  readonly input: TurnInput;
  readonly runId: string | null;
  readonly protocol: TurnInput['protocol'];
  readonly mode: TurnInput['mode'];
  readonly status: TurnStatus;
  /** Reason of `done` or code of `error`. */
  readonly reason: string | null;
  readonly terminal: StoredTerminal | null;
  readonly usage: Usage | null;
  readonly phase: number | null;
  readonly cycle: number | null;
  readonly waste: Waste | null;
  readonly content: string | null;
  /** Who asked the gateway to cancel it: the name of an API key, or `local`. */
  readonly cancelledBy: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

export function toTurnRow(row: Selectable<TurnsTable>): TurnRow {
  return {
    turnId: row.turn_id,
    projectId: row.project_id,
    conversationId: row.conversation_id,
    requestHash: row.request_hash,
    input: row.start_input,
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
    content: row.content,
    cancelledBy: row.cancelled_by,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}

export function toTerminal(
  row: Pick<Selectable<TurnsTable>, 'terminal_id' | 'terminal_after' | 'terminal'>,
): StoredTerminal | null {
  if (row.terminal_id === null || row.terminal === null) return null;
  return { id: row.terminal_id, after: row.terminal_after, event: row.terminal };
}
