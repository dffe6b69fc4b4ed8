import { safeText } from '../contracts/safe-text.ts';
import type { TerminalEvent } from '../contracts/turn-event.ts';
import { fullContentOf, mergeBatches } from '../protocol/event-log.ts';
import type { Database } from './database.ts';
import { asWorkflowClose, type OutsideClose, type WorkflowClose } from './outside-close.ts';
import { insertSegments, loadSegments } from './segment-repository.ts';
import { toTerminal, type StoredTerminal } from './turn-row.ts';

export interface CloseOutcome {
  /** False: somebody else closed the turn before. */
  readonly won: boolean;
  /** What the turn ended with, whoever closed it. */
  readonly terminal: StoredTerminal;
}

/** No row with this turn id: trying again will not help. */
export class UnknownTurnError extends Error {
  constructor(turnId: string) {
    super(`There is no turn "${turnId}" in the database.`);
    this.name = 'UnknownTurnError';
  }
}

/**
 * Ends a turn in one transaction: row, own segments, terminal event and orion message. The first close wins, and
 * what it stored is what every later one gets. Throws UnknownTurnError.
 */
export async function closeTurn(db: Database, input: WorkflowClose | OutsideClose): Promise<CloseOutcome> {
  const close = 'outside' in input ? asWorkflowClose(input) : input;
  return db.transaction().execute(async (trx) => {
    if (!(await lockRunning(trx, close.turnId))) {
      return { won: false, terminal: await storedTerminal(trx, close.turnId) };
    }
    await insertSegments(trx, close.turnId, close.ownEvents);
    const content = fullContentOf(mergeBatches(await loadSegments(trx, close.turnId)));
    const terminal = {
      id: close.terminalId,
      after: close.terminalAfter,
      event: terminalEvent(close.terminal, content),
    };
    await storeEnd(trx, close, terminal, safeText(content));
    return { won: true, terminal };
  });
}

/** Waits for a close under way; false when the turn has ended or is unknown. */
async function lockRunning(db: Database, turnId: string): Promise<boolean> {
  const row = await db
    .selectFrom('turns')
    .select('turn_id')
    .where('turn_id', '=', turnId)
    .where('status', '=', 'running')
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

async function storedTerminal(db: Database, turnId: string): Promise<StoredTerminal> {
  const row = await db
    .selectFrom('turns')
    .select(['terminal_id', 'terminal_after', 'terminal'])
    .where('turn_id', '=', turnId)
    .executeTakeFirst();
  const terminal = row && toTerminal(row);
  if (!terminal) throw new UnknownTurnError(turnId);
  return terminal;
}

function terminalEvent(terminal: WorkflowClose['terminal'], fullContent: string): TerminalEvent {
  return terminal.type === 'error'
    ? { type: 'error', code: terminal.code, message: terminal.message }
    : { ...terminal, fullContent };
}

async function storeEnd(
  db: Database,
  close: WorkflowClose,
  { id, after, event }: StoredTerminal,
  content: string,
): Promise<void> {
  const ending =
    event.type === 'done'
      ? { status: event.status, reason: event.reason }
      : { status: 'failed' as const, code: event.code };
  await db
    .with('ended', (cte) =>
      cte
        .updateTable('turns')
        .set(({ fn }) => ({
          status: ending.status,
          reason: 'reason' in ending ? ending.reason : ending.code,
          terminal_id: id,
          terminal_after: after,
          terminal: JSON.stringify(event),
          usage: JSON.stringify(close.usage),
          phase: close.phase,
          cycle: close.cycle,
          waste: JSON.stringify(close.waste),
          content,
          ended_at: fn<Date>('clock_timestamp'),
        }))
        .where('turn_id', '=', close.turnId)
        .where('status', '=', 'running')
        .returning(['turn_id', 'project_id', 'conversation_id']),
    )
    .insertInto('chat_messages')
    .columns(['turn_id', 'project_id', 'conversation_id', 'sender', 'content', 'metadata'])
    .expression((from) =>
      from
        .selectFrom('ended')
        .select(({ val, cast }) => [
          'turn_id',
          'project_id',
          'conversation_id',
          val('orion').as('sender'),
          val(content).as('content'),
          cast<string>(val(JSON.stringify(ending)), 'json').as('metadata'),
        ]),
    )
    .execute();
}
