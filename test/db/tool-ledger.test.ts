import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ToolResult } from '../../src/contracts/tool-call.ts';
import { createToolLedger } from '../../src/db/tool-ledger.ts';
import { createTurnRepository } from '../../src/db/turn-repository.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { answered, turnInput, userMessage } from '../support/turn-fixtures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await createTurnRepository(database.db).insert(turnInput('turn'), 'hash', userMessage);
});
afterAll(() => database.close());

const info = { toolName: 'FileSystemTool_write_to_file', arguments: '{"content":"\\u0000\0"}' };
const result = (text: string): ToolResult => ({
  toolCallId: 'call_1',
  toolName: 'FileSystemTool.write_to_file',
  success: true,
  result: text,
  attempts: 1,
  durationMs: 3,
  timestamp: '2026-01-01T00:00:00.000Z',
});
const at = (phaseIndex: number, position = 0) => ({ turnId: 'turn', phaseIndex, position });

describe('tool ledger', () => {
  it('gives a repeated execution the stored result, byte by byte', async () => {
    const ledger = createToolLedger(database.db);
    expect(await ledger.begin(at(1), info)).toEqual({ kind: 'started', attempt: 1 });
    await ledger.finish(at(1), result('nul \0 lone \ud800'));
    const repeated = { kind: 'finished', result: result('nul \0 lone \ud800') };
    expect(await ledger.begin(at(1), info)).toEqual(repeated);
    expect(await ledger.begin(at(1, 1), info)).toEqual({ kind: 'started', attempt: 1 });
  });

  it('says interrupted when a begun execution left no result: it may have run', async () => {
    const ledger = createToolLedger(database.db);
    await ledger.begin(at(3), info);
    expect(await ledger.begin(at(3), info)).toEqual({ kind: 'interrupted', attempt: 2 });
  });

  it('keeps the first result: a second execution of a read does not rewrite what the model was told', async () => {
    const ledger = createToolLedger(database.db);
    await ledger.begin(at(5), info);
    await ledger.finish(at(5), result('first'));
    await ledger.finish(at(5), result('second'));
    expect(await ledger.begin(at(5), info)).toMatchObject({ result: { result: 'first' } });
  });

  it('only the newest attempt without a result holds the fence, and only while the turn runs', async () => {
    const ledger = createToolLedger(database.db);
    expect(await ledger.holds(at(9), 1)).toBe(false);
    await ledger.begin(at(9), info);
    expect(await ledger.holds(at(9), 1)).toBe(true);
    await ledger.begin(at(9), info);
    expect([await ledger.holds(at(9), 1), await ledger.holds(at(9), 2)]).toEqual([false, true]);
    await ledger.finish(at(9), result('done'));
    expect(await ledger.holds(at(9), 2)).toBe(false);
    const turns = createTurnRepository(database.db);
    await turns.insert(turnInput('ended'), 'hash', userMessage);
    const key = { turnId: 'ended', phaseIndex: 1, position: 0 };
    await ledger.begin(key, info);
    await turns.close(answered('ended', '101-2'));
    expect(await ledger.holds(key, 1)).toBe(false);
  });

  it('of 20 attempts at once over two processes exactly one starts', async () => {
    const ledgers = [createToolLedger(database.db), createToolLedger(database.openAnother())];
    const entries = await Promise.all(
      Array.from({ length: 10 }, () => ledgers.map((ledger) => ledger.begin(at(7), info))).flat(),
    );
    expect(entries.filter(({ kind }) => kind === 'started')).toHaveLength(1);
    expect(entries.filter(({ kind }) => kind === 'interrupted')).toHaveLength(19);
  });
});
