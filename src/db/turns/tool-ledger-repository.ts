import { sql } from 'kysely';
import { safeText } from '../../contracts/values/safe-text.ts';
import type { LedgerKey, PlannedWrite, ToolLedger } from '../../contracts/tools/tool-ledger.ts';
import type { Database } from '../connection/database.ts';
import { targetLock } from '../claims/free-target.ts';

/** Creates the ledger of tool calls in Postgres (`tool_executions`). */
export const createToolLedgerRepository = (db: Database): ToolLedger => ({
  async begin(key, call) {
    const reserved = await reserve(db, key, call).catch((error: unknown) => {
      if (!isSpentApproval(error)) throw error;
    });
    if (!reserved) return { kind: 'spent' };
    const { attempts, result } = reserved;
    if (result !== null) return { kind: 'finished', result };
    return { kind: attempts === 1 ? 'started' : 'unfinished', attempt: attempts };
  },
  planWrite: (key, attempt, write) => planWrite(db, { key, attempt, write }),
  holds: async (key, attempt) => (await newestAttempt(db, key, attempt).executeTakeFirst()) !== undefined,
  async finish(key, result) {
    const storedRow = await db
      .updateTable('tool_executions')
      .set(({ fn }) => ({
        result: sql<string>`coalesce(result, ${JSON.stringify(result)}::json)`,
        finished_at: fn.coalesce('finished_at', fn<Date>('now')),
      }))
      .where('turn_id', '=', key.turnId)
      .where('phase_index', '=', key.phaseIndex)
      .where('position', '=', key.position)
      .returning('result')
      .executeTakeFirst();
    return storedRow?.result ?? result;
  },
});

/** Reserves an execution in one statement, so that of two simultaneous attempts exactly one gets `started`. */
const reserve = (
  db: Database,
  key: LedgerKey,
  { toolName, arguments: text, approval }: Parameters<ToolLedger['begin']>[1],
) =>
  db
    .insertInto('tool_executions')
    .values({
      turn_id: key.turnId,
      phase_index: key.phaseIndex,
      position: key.position,
      tool_name: safeText(toolName),
      arguments: safeText(text),
      input_id: approval?.inputId ?? null,
      input_once: approval?.once ?? null,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['turn_id', 'phase_index', 'position'])
        .doUpdateSet(({ eb }) => ({ attempts: eb('tool_executions.attempts', '+', 1) })),
    )
    .returning(['attempts', 'result'])
    .executeTakeFirstOrThrow();

/** Reports whether an insert failed because another execution has used the approval, which allowed only one. */
const isSpentApproval = (error: unknown): boolean =>
  error instanceof Error && Reflect.get(error, 'constraint') === 'tool_executions_input';

interface PlanOfAttempt {
  readonly key: LedgerKey;
  readonly attempt: number;
  readonly write: PlannedWrite;
}

/**
 * Checks whether the attempt may write, and stores its plan in the same statement. An attempt that may write has
 * therefore stored what it will write. Returns false when the attempt may not write, has stored a plan before, or meets
 * an undo of the target.
 */
const planWrite = async (db: Database, plan: PlanOfAttempt): Promise<boolean> => {
  const { before, after, path, targetKey } = plan.write;
  const row = await db
    .insertInto('file_changes')
    .columns([...KEY_COLUMNS, 'attempt', 'path', 'target_key', 'before_state', 'after_state'])
    .expression(
      executionThatMayWrite(db, plan).select(({ val, cast }) => [
        val(plan.attempt).as('attempt'),
        val(safeText(path)).as('path'),
        val(safeText(targetKey)).as('target_key'),
        cast<string>(val(before && JSON.stringify(before)), 'json').as('before_state'),
        cast<string>(val(JSON.stringify(after)), 'json').as('after_state'),
      ]),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('turn_id')
    .executeTakeFirst();
  return row !== undefined;
};

const KEY_COLUMNS = ['turn_id', 'phase_index', 'position'] as const;

const executionThatMayWrite = (db: Database, { key, attempt, write }: PlanOfAttempt) =>
  newestAttempt(db, key, attempt).where(
    sql<boolean>`(select pg_try_advisory_xact_lock_shared(${targetLock(write.targetKey)}))`,
  );

const newestAttempt = (db: Database, key: LedgerKey, attempt: number) =>
  db
    .selectFrom('tool_executions as execution')
    .innerJoin('turns', 'turns.turn_id', 'execution.turn_id')
    .select(['execution.turn_id', 'execution.phase_index', 'execution.position'])
    .where('execution.turn_id', '=', key.turnId)
    .where('execution.phase_index', '=', key.phaseIndex)
    .where('execution.position', '=', key.position)
    .where('execution.attempts', '=', attempt)
    .where('execution.result', 'is', null)
    .where('turns.status', '=', 'running');
