/** Closing the row of a turn whose workflow was ended by somebody else. */
import { describe, expect, it } from '@jest/globals';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { Client } from '@temporalio/client';
import type { EventBatch } from '../../src/contracts/wire/event-batch.ts';
import type { TurnRepository } from '../../src/db/turn-repository.ts';
import type { TurnRow } from '../../src/db/turn-row.ts';
import { closeOutside } from '../../src/turns/close-outside.ts';

const said: EventBatch[] = [{ epoch: 101, seq: 1, after: null, events: ['said'] }];

/** A workflow that answers queries or not, and was closed at `closedAt`. */
const close = async (workflow: {
  answers: boolean;
  closedAt?: number;
  gone?: boolean;
}): Promise<unknown[]> => {
  const closes: unknown[] = [];
  const handle = {
    query: () =>
      workflow.answers
        ? Promise.resolve({ batches: said, more: false })
        : Promise.reject(new Error('no worker')),
    describe: () =>
      workflow.gone
        ? Promise.reject(new WorkflowNotFoundError('gone', 'turn/t1', undefined))
        : Promise.resolve({ closeTime: new Date(workflow.closedAt ?? Date.now()) }),
  };
  const client = {
    workflow: { getHandle: () => handle },
    withDeadline: (_deadline: number, call: () => Promise<unknown>) => call(),
  } as unknown as Client;
  const turns = {
    close: (input: unknown) => Promise.resolve(closes.push(input)),
  } as unknown as TurnRepository;
  await closeOutside({ client, turns }, { turnId: 't1', runId: 'r1' } as TurnRow);
  return closes;
};

describe('closeOutside', () => {
  it('keeps what the closed workflow still says', async () => {
    await expect(close({ answers: true })).resolves.toEqual([{ turnId: 't1', outside: { batches: said } }]);
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
