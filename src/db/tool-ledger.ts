import { safeText } from '../contracts/safe-text.ts';
import type { ToolResult } from '../contracts/tool-call.ts';
import type { Database } from './database.ts';

/** Place of an execution in its turn: providers reuse call ids (tools.md "Ledger"). */
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
  | { readonly kind: 'started' }
  | { readonly kind: 'finished'; readonly result: ToolResult }
  | { readonly kind: 'interrupted' };

export interface ToolLedger {
  begin(
    key: ExecutionKey,
    info: { readonly toolName: string; readonly arguments: string },
  ): Promise<LedgerEntry>;
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
      return { kind: attempts === 1 ? 'started' : 'interrupted' };
    },
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
