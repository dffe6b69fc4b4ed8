import { safeText } from '../contracts/safe-text.ts';
import type { ToolResult } from '../contracts/tool-call.ts';
import type { Database } from './database.ts';

/** Place of an execution in its turn: providers reuse call ids (docs/tools.md). */
export interface ExecutionKey {
  readonly turnId: string;
  readonly phaseIndex: number;
  readonly position: number;
}

/**
 * `started`: run it. `finished`: it ran, this came out. `interrupted`: somebody began it and left no result; it
 * may have run, so a write must not run again.
 */
export type LedgerEntry =
  | { readonly kind: 'started'; readonly attempt: number }
  | { readonly kind: 'finished'; readonly result: ToolResult }
  | { readonly kind: 'interrupted'; readonly attempt: number };

export interface ToolLedger {
  begin(
    key: ExecutionKey,
    info: { readonly toolName: string; readonly arguments: string },
  ): Promise<LedgerEntry>;
  /**
   * The attempt may write: none has begun since, no result is stored, and the turn still runs. `attempts` is the
   * fence that write sessions have a column for: it rises in one statement, too.
   */
  holds(key: ExecutionKey, attempt: number): Promise<boolean>;
  /** The first result stays. */
  finish(key: ExecutionKey, result: ToolResult): Promise<void>;
}

export function createToolLedger(db: Database): ToolLedger {
  return {
    async begin(key, info) {
      // One statement: of two attempts at the same moment exactly one is told `started`.
      const { attempts, result } = await db
        .insertInto('tool_executions')
        .values({
          turn_id: key.turnId,
          phase_index: key.phaseIndex,
          position: key.position,
          tool_name: safeText(info.toolName),
          arguments: safeText(info.arguments),
        })
        .onConflict((conflict) =>
          conflict
            .columns(['turn_id', 'phase_index', 'position'])
            .doUpdateSet(({ eb }) => ({ attempts: eb('tool_executions.attempts', '+', 1) })),
        )
        .returning(['attempts', 'result'])
        .executeTakeFirstOrThrow();
      if (result !== null) return { kind: 'finished', result };
      return { kind: attempts === 1 ? 'started' : 'interrupted', attempt: attempts };
    },
    holds: (key, attempt) => holdsFence(db, key, attempt),
    async finish(key, result) {
      await db
        .updateTable('tool_executions')
        .set(({ fn }) => ({ result: JSON.stringify(result), finished_at: fn<Date>('now') }))
        .where('turn_id', '=', key.turnId)
        .where('phase_index', '=', key.phaseIndex)
        .where('position', '=', key.position)
        .where('result', 'is', null)
        .execute();
    },
  };
}

async function holdsFence(db: Database, key: ExecutionKey, attempt: number): Promise<boolean> {
  const row = await db
    .selectFrom('tool_executions')
    .innerJoin('turns', 'turns.turn_id', 'tool_executions.turn_id')
    .select('tool_executions.attempts')
    .where('tool_executions.turn_id', '=', key.turnId)
    .where('phase_index', '=', key.phaseIndex)
    .where('position', '=', key.position)
    .where('attempts', '=', attempt)
    .where('result', 'is', null)
    .where('turns.status', '=', 'running')
    .executeTakeFirst();
  return row !== undefined;
}
