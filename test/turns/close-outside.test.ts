/** Closing the row of a turn whose workflow was ended by somebody else. */
import { describe, expect, it } from '@jest/globals';
import { QueryNotRegisteredError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { EventBatch } from '../../src/contracts/wire/event-batch.ts';
import type { TurnRepository } from '../../src/db/turns/turn-repository.ts';
import type { TurnRow } from '../../src/db/turns/turn-row.ts';
import { closeOutside } from '../../src/turns/close-outside.ts';
import { partOf } from '../support/part-of.ts';

/** gRPC status. */
const INVALID_ARGUMENT = 3;

const said: EventBatch[] = [{ epoch: 101, seq: 1, after: null, events: ['said'] }];

/** A workflow that answers queries or not, and was closed at `closedAt`. */
const close = async (workflow: {
  answers: boolean;
  closedAt?: number;
  gone?: boolean;
  /** Messages into the turn that its model has not read; a worker of before knows of none. */
  pending?: unknown[];
  isOld?: boolean;
}): Promise<unknown[]> => {
  const closes: unknown[] = [];
  const handle = {
    query: (query: { readonly name: string }) => {
      if (!workflow.answers) return Promise.reject(new Error('no worker'));
      if (query.name !== 'pendingSteers') return Promise.resolve({ batches: said, more: false });
      return workflow.isOld
        ? Promise.reject(new QueryNotRegisteredError('unknown', INVALID_ARGUMENT))
        : Promise.resolve(workflow.pending ?? []);
    },
    describe: () =>
      workflow.gone
        ? Promise.reject(new WorkflowNotFoundError('gone', 'turn/t1', undefined))
        : Promise.resolve({ closeTime: new Date(workflow.closedAt ?? Date.now()) }),
  };
  const client = partOf<Client>({
    workflow: { getHandle: () => handle },
    withDeadline: (_deadline: number, call: () => Promise<unknown>) => call(),
  });
  const turns = partOf<TurnRepository>({
    close: (input: unknown) => Promise.resolve(closes.push(input)),
  });
  await closeOutside({ client, turns }, { turnId: 't1', runId: 'r1' } as TurnRow);
  return closes;
};

describe('closeOutside', () => {
  it('keeps what the closed workflow still says', async () => {
    await expect(close({ answers: true })).resolves.toEqual([{ turnId: 't1', outside: { batches: said } }]);
  });

  it('keeps what was said into the turn and not read', async () => {
    await expect(close({ answers: true, pending: ['a message'] })).resolves.toEqual([
      { turnId: 't1', outside: { batches: said, unapplied: ['a message'] } },
    ]);
    await expect(close({ answers: true, isOld: true })).resolves.toEqual([
      { turnId: 't1', outside: { batches: said } },
    ]);
  });

  it('waits for workers that restart instead of dropping the text', async () => {
    await expect(close({ answers: false })).rejects.toThrow('no worker');
  });

  it('closes without the text when no worker has answered for half a minute', async () => {
    const closedAt = Date.now() - 31_000;
    await expect(close({ answers: false, closedAt })).resolves.toEqual([
      { turnId: 't1', outside: { batches: [] } },
    ]);
  });

  it('closes without the text when the history is gone', async () => {
    await expect(close({ answers: false, gone: true })).resolves.toHaveLength(1);
  });
});
