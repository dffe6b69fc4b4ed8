import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createToolLedgerRepository } from '../../../src/db/turns/tool-ledger-repository.ts';
import { createWithFreeTarget } from '../../../src/db/claims/free-target.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { describeToolLedger } from '../../tools/support/tool-ledger-contract.ts';
import { answered, turnInput, userMessage } from '../../support/turn-fixtures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** Resolves to the id of a turn that runs. */
const startTurn = async (): Promise<string> => {
  const turnId = randomUUID();
  await createTurnRepository(database.db).insert(turnInput(turnId), 'hash', userMessage);
  return turnId;
};

describeToolLedger('in Postgres', async () => {
  const turnId = await startTurn();
  const withFreeTarget = createWithFreeTarget(database.db);
  return {
    ledger: createToolLedgerRepository(database.db),
    turnId,
    endTurn: async () => void (await createTurnRepository(database.db).close(answered(turnId, '101-2'))),
    duringUndo: async (targetKey, work) => {
      const done = await withFreeTarget(targetKey, async () => ({ result: await work() }));
      if (!done) throw new Error(`expected that nobody writes ${targetKey}`);
      return done.result;
    },
  };
});

it('exactly one of 20 attempts at once over two processes starts', async () => {
  const key = { turnId: await startTurn(), phaseIndex: 7, position: 0 };
  const info = { toolName: 'FileSystemTool_write_to_file', arguments: '{}' };
  const ledgers = [
    createToolLedgerRepository(database.db),
    createToolLedgerRepository(database.openAnother()),
  ];
  const entries = await Promise.all(
    Array.from({ length: 10 }, () => ledgers.map((ledger) => ledger.begin(key, info))).flat(),
  );
  expect(entries.filter(({ kind }) => kind === 'started')).toHaveLength(1);
  expect(entries.filter(({ kind }) => kind === 'unfinished')).toHaveLength(19);
});
