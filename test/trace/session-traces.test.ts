/** Covers what the transitions of a write session leave in the trace, over the real tables. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createWriteSessionRepository,
  type WriteSessionRepository,
} from '../../src/db/write-sessions/write-session-repository.ts';
import { createTraceRepository } from '../../src/db/turns/trace-repository.ts';
import { createTurnRepository } from '../../src/db/turns/turn-repository.ts';
import { withSessionTraces } from '../../src/trace/session-traces.ts';
import { createTraceRecorder } from '../../src/trace/trace-recorder.ts';
import { storedTraces } from '../db/support/stored-traces.ts';
import { contentRef, sessionInput } from '../support/scripted-session.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { turnInput, userMessage } from '../support/turn-fixtures.ts';

let database: TestDatabase;
let sessions: WriteSessionRepository;
beforeAll(async () => {
  database = await createTestDatabase();
  const log = { warn: (fields: object) => expect(fields).toBeUndefined() };
  const recorder = createTraceRecorder({ repository: createTraceRepository(database.db), log });
  sessions = withSessionTraces(createWriteSessionRepository(database.db), recorder);
});
afterAll(() => database.close());

const RUN = 'run-1';
const content = contentRef('a');
const plan = { before: null, after: content, content };

const begin = async (turnId?: string): Promise<string> => {
  const input = sessionInput(turnId === undefined ? {} : { turnId });
  await sessions.insert(input, { targetKey: randomUUID(), maxConcurrent: 100 });
  await sessions.setRunId(input.sessionId, RUN);
  return input.sessionId;
};

/** Resolves to the number of an attempt that has stored its plan. */
const planAttempt = async (sessionId: string): Promise<number> => {
  const number = (await sessions.beginAttempt(sessionId, RUN))?.attempt ?? 0;
  await sessions.storePlan(sessionId, number, plan);
  return number;
};

const eventsOf = async (requestId: string) =>
  (await storedTraces(database.db, requestId)).map(({ type, details, error }) => {
    const { event, stage } = details as { event: string; stage: string };
    return [type, event, stage, ...(error === null ? [] : [error])].join(' ');
  });

describe('transitions of a write session', () => {
  it('are all traced when the file is written at the second try', async () => {
    await createTurnRepository(database.db).insert(turnInput('turn-1'), 'hash', userMessage);
    const sessionId = await begin('turn-1');
    const failure = { kind: 'failed', code: 'write_failed', reason: 'no space' } as const;
    await sessions.failAttempt(sessionId, await planAttempt(sessionId), failure);
    await sessions.endCommitted(sessionId, await planAttempt(sessionId), content);
    await sessions.markUndone(sessionId);
    expect(await eventsOf('turn-1')).toEqual([
      'write_session begin awaiting_content',
      'write_session finalize committing',
      'write_session commit awaiting_content no space',
      'write_session commit committed',
      'write_session undo committed',
    ]);
    const [, finalize] = await storedTraces(database.db, 'turn-1');
    expect(finalize?.details).toMatchObject({ ...content, sessionId, targetFile: 'docs/big.md' });
  });

  it.each([
    ['expired', 'expiry'],
    ['cancelled', 'cancel'],
  ] as const)('that nobody finalizes: %s, under its own id, once for all its closers', async (end, event) => {
    const sessionId = await begin();
    await sessions.markClosing(sessionId);
    await Promise.all([sessions.end(sessionId, end), sessions.end(sessionId, 'cancelled')]);
    // This is a later attempt of the closer, after one that died before it could report.
    await sessions.markClosing(sessionId);
    const recorded = await eventsOf(sessionId);
    expect(recorded[0]).toBe('write_session begin awaiting_content');
    expect(recorded).toHaveLength(2);
    expect([`write_session ${event} ${end}`, 'write_session cancel cancelled']).toContain(recorded[1]);
  });

  it('include a commit when the file is found written', async () => {
    const sessionId = await begin();
    await planAttempt(sessionId);
    await sessions.markClosing(sessionId);
    await sessions.end(sessionId, 'committed', { kind: 'committed', content });
    expect(await eventsOf(sessionId)).toEqual([
      'write_session begin awaiting_content',
      'write_session finalize committing',
      'write_session commit committed',
    ]);
  });

  it('contain no text of the file, and begin again where a begin is repeated', async () => {
    const input = sessionInput();
    for (let i = 0; i < 3; i += 1) {
      await sessions.insert(input, { targetKey: 'same-key', maxConcurrent: 100 });
    }
    expect(await eventsOf(input.sessionId)).toEqual(['write_session begin awaiting_content']);
  });
});
