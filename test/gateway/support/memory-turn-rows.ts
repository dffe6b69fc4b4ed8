import type { TurnRow } from '../../../src/db/turns/turn-row.ts';
import { partOf } from '../../support/part-of.ts';
import type { RemoveConversation, TurnRowsUnderContract } from '../../db/support/turn-rows-contract.ts';

/** The rows of turns in memory. A suite holds them to those in Postgres. */
export class MemoryTurnRows implements TurnRowsUnderContract {
  readonly #byId = new Map<string, TurnRow>();
  readonly #removed = new Set<string>();

  /** Returns a row, also of a removed conversation. Throws if there is none. */
  row(turnId: string): TurnRow {
    const row = this.#byId.get(turnId);
    if (!row) throw new Error(`no row ${turnId}`);
    return row;
  }

  readonly insert: TurnRowsUnderContract['insert'] = (input, requestHash) => {
    const own = this.#byId.get(input.turnId);
    if (own) return Promise.resolve({ kind: 'exists', row: own });
    const busy = [...this.#byId.values()].find(
      (row) =>
        row.status === 'running' &&
        row.projectId === input.projectId &&
        row.conversationId === input.conversationId,
    );
    if (busy) return Promise.resolve({ kind: 'busy', row: busy });
    const row = partOf<TurnRow>({ ...input, input, requestHash, runId: null, status: 'running' });
    this.#byId.set(input.turnId, row);
    return Promise.resolve({ kind: 'inserted', row });
  };

  readonly find: TurnRowsUnderContract['find'] = (turnId) =>
    Promise.resolve(this.#removed.has(turnId) ? undefined : this.#byId.get(turnId));

  readonly close: TurnRowsUnderContract['close'] = (close) => {
    const row = this.row(close.turnId);
    if (row.status !== 'running') return Promise.resolve({ isClosedHere: false });
    const end = 'outside' in close ? undefined : close.terminal;
    const status = end?.type === 'done' ? end.status : 'failed';
    this.#byId.set(close.turnId, { ...row, status });
    return Promise.resolve({ isClosedHere: true });
  };

  readonly remove: RemoveConversation = ({ projectId, conversationId }) => {
    for (const [turnId, row] of this.#byId) {
      if (row.projectId !== projectId || row.conversationId !== conversationId) continue;
      this.#byId.set(turnId, { ...row, requestHash: '' });
      this.#removed.add(turnId);
    }
    return Promise.resolve();
  };
}
