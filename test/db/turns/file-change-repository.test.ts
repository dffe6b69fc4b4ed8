import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LedgerKey, PlannedWrite } from '../../../src/contracts/tools/tool-ledger.ts';
import type { ToolResult } from '../../../src/contracts/tools/tool-call.ts';
import { createFileChangeRepository } from '../../../src/db/turns/file-change-repository.ts';
import { createToolLedgerRepository } from '../../../src/db/turns/tool-ledger-repository.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { createWriteSessionRepository } from '../../../src/db/write-sessions/write-session-repository.ts';
import { describeTurnChanges } from '../../files/support/turn-changes-contract.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { turnInput, userMessage } from '../../support/turn-fixtures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const hash = (letter: string) => ({ sha256: letter.repeat(64), bytes: 1 });
const open = () => {
  const sessions = createWriteSessionRepository(database.db);
  return {
    sessions,
    ledger: createToolLedgerRepository(database.db),
    changes: createFileChangeRepository(database.db, sessions.withFreeTarget),
  };
};

const startTurn = async (turnId: string): Promise<void> => {
  const input = { ...turnInput(turnId), conversationId: turnId };
  await createTurnRepository(database.db).insert(input, 'hash', userMessage);
};

/**
 * Stores a turn that edited a.md, wrote it in a session, edited it again and created b.md; its session is still open.
 */
const changedTurn = async (turnId: string, sessionId: string): Promise<void> => {
  const { sessions, ledger } = open();
  await startTurn(turnId);
  const plan = async (phaseIndex: number, path: string, before: string | null, after: string) => {
    const key = { turnId, phaseIndex, position: 0 };
    await ledger.begin(key, { toolName: 'FileSystemTool.edit_file', arguments: '{}' });
    const states = { before: before === null ? null : hash(before), after: hash(after) };
    expect(await ledger.planWrite(key, 1, { path, targetKey: path, ...states })).toBe(true);
  };
  await plan(1, 'a.md', 'a', 'b');
  const asked = { sessionId, projectId: 'p', turnId, targetFile: './a.md', operation: 'overwrite' } as const;
  const input = {
    revision: 1 as const,
    ...asked,
    intent: '',
    inactivityTimeoutMs: 1_000,
    searchAttributes: false,
  };
  await sessions.insert(input, { targetKey: 'a.md', maxConcurrent: 5 });
  const content = { ...hash('c'), lines: 1 };
  await sessions.setRunId(sessionId, 'run');
  const { attempt = 0 } = (await sessions.beginAttempt(sessionId, 'run')) ?? {};
  await sessions.storePlan(sessionId, attempt, { before: hash('b'), after: hash('c'), content });
  await sessions.endCommitted(sessionId, attempt, content);
  await plan(3, 'a.md', 'c', 'd');
  await plan(5, 'b.md', null, 'e');
};

describeTurnChanges('in Postgres', () => {
  const { changes, ledger } = open();
  let phaseIndex = 0;
  /** Begins an execution of a tool that is about to make this change, and resolves to its place. */
  const begin = async (turnId: string, change: PlannedWrite): Promise<LedgerKey> => {
    phaseIndex += 2;
    const key = { turnId, phaseIndex, position: 0 };
    await ledger.begin(key, { toolName: 'FileSystemTool.edit_file', arguments: '{}' });
    expect(await ledger.planWrite(key, 1, change)).toBe(true);
    return key;
  };
  return {
    changes,
    startTurn: async () => {
      const turnId = randomUUID();
      await startTurn(turnId);
      return turnId;
    },
    change: async (turnId, ...made) => {
      for (const one of made) await ledger.finish(await begin(turnId, one), done);
    },
    beginWriting: async (turnId, targetKey) => {
      const key = await begin(turnId, { path: 'x.md', targetKey, before: null, after: hash('x') });
      return async () => void (await ledger.finish(key, done));
    },
  };
});

const done: ToolResult = {
  toolCallId: 'c',
  toolName: 'FileSystemTool.edit_file',
  success: true,
  attempts: 1,
  durationMs: 1,
  timestamp: '2026-01-01T00:00:00.000Z',
};

describe('changes of a turn', () => {
  it('are those of its tools and its sessions, in order', async () => {
    await changedTurn('one', 'f6a6d6a2-9f37-4d7e-8b39-2f4b56f1c001');
    const { changes } = open();
    expect(await changes.list('one')).toMatchObject([
      { path: 'a.md', before: hash('a'), after: hash('b'), isCertain: false, isUndone: false },
      { path: './a.md', targetKey: 'a.md', before: hash('b'), after: hash('c'), isCertain: true },
      { path: 'a.md', before: hash('c'), after: hash('d') },
      { path: 'b.md', before: null, after: hash('e') },
    ]);
    expect(await changes.list('none')).toEqual([]);
  });

  it('are undone file by file, tools and sessions together, and for no other turn', async () => {
    await changedTurn('other', 'f6a6d6a2-9f37-4d7e-8b39-2f4b56f1c003');
    await changedTurn('two', 'f6a6d6a2-9f37-4d7e-8b39-2f4b56f1c002');
    const { changes, sessions } = open();
    await changes.markUndone('two', 'a.md');
    expect((await changes.list('two')).map(({ isUndone }) => isUndone)).toEqual([true, true, true, false]);
    expect((await sessions.find('f6a6d6a2-9f37-4d7e-8b39-2f4b56f1c002'))?.undoneAt).toEqual(expect.any(Date));
    expect((await changes.list('other')).some(({ isUndone }) => isUndone)).toBe(false);
  });

  it('come with the tools that the turn has run', async () => {
    await changedTurn('tools', 'f6a6d6a2-9f37-4d7e-8b39-2f4b56f1c004');
    const { changes, ledger } = open();
    await ledger.begin(
      { turnId: 'tools', phaseIndex: 7, position: 0 },
      { toolName: 'mcp__mail__send', arguments: '{}' },
    );
    expect(await changes.listTools('tools')).toEqual(['FileSystemTool.edit_file', 'mcp__mail__send']);
  });
});
