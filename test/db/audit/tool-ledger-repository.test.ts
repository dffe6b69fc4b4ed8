import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createToolLedgerRepository } from '../../../src/db/audit/tool-ledger-repository.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { describeToolLedger } from '../../tools/support/tool-ledger-contract.ts';
import { answered, turnInput, userMessage } from '../../support/turn-fixtures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await createTurnRepository(database.db).insert(turnInput('turn'), 'hash', userMessage);
});
afterAll(() => database.close());

const info = { toolName: 'FileSystemTool_write_to_file', arguments: '{}' };
const write = { path: 'a', targetKey: 'a', before: null, after: { sha256: 'b'.repeat(64), bytes: 1 } };
const at = (phaseIndex: number) => ({ turnId: 'turn', phaseIndex, position: 0 });

describeToolLedger('in Postgres', 'turn', () => createToolLedgerRepository(database.db));

describe('tool ledger', () => {
  it('nobody holds the fence of a turn that has ended', async () => {
    const ledger = createToolLedgerRepository(database.db);
    const turns = createTurnRepository(database.db);
    await turns.insert(turnInput('ended'), 'hash', userMessage);
    const key = { turnId: 'ended', phaseIndex: 1, position: 0 };
    await ledger.begin(key, info);
    expect(await ledger.planWrite(key, 1, write)).toBe(true);
    await turns.close(answered('ended', '101-2'));
    expect(await ledger.planWrite(key, 1, write)).toBe(false);
  });

  it('of 20 attempts at once over two processes exactly one starts', async () => {
    const ledgers = [
      createToolLedgerRepository(database.db),
      createToolLedgerRepository(database.openAnother()),
    ];
    const entries = await Promise.all(
      Array.from({ length: 10 }, () => ledgers.map((ledger) => ledger.begin(at(7), info))).flat(),
    );
    expect(entries.filter(({ kind }) => kind === 'started')).toHaveLength(1);
    expect(entries.filter(({ kind }) => kind === 'unfinished')).toHaveLength(19);
  });
});
