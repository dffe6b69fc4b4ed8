/** Covers `WritePlanTool_begin` and what the model reads of it. */
import { describe, expect, it } from '@jest/globals';
import { INTERNAL_ERROR_TEXT } from '../../src/contracts/values/internal-error-text.ts';
import { WRITE_SESSION_TEXTS } from '../../src/contracts/write-session/write-session-texts.ts';
import type { BlockingSession } from '../../src/db/write-sessions/write-session-insert.ts';
import type { BeginOutcome, BeginRequest } from '../../src/write-session-service/begin-session.ts';
import { createToolRegistry } from '../../src/tools/registry.ts';
import { createToolRunner } from '../../src/tools/run/runner.ts';
import { createWritePlanBeginTool } from '../../src/write-session-service/write-plan-begin.ts';
import { MemoryLedger } from '../tools/support/memory-ledger.ts';
import { discardedCopies } from '../tools/support/temp-workspace.ts';

const SESSION = '6f1b0d52-6a55-4f4e-9d59-0d6f0a4a8b11';
const AWAY = new Error('14 UNAVAILABLE');

/**
 * Begins sessions with the outcomes that a test gives, and by default with success. It decides nothing by itself, so it
 * knows of no conflict that the test does not name.
 */
class FakeSessions {
  readonly begun: BeginRequest[] = [];
  readonly cancelled: string[] = [];
  outcomes: (BeginOutcome | Error)[] = [];

  begin(request: BeginRequest): Promise<BeginOutcome> {
    this.begun.push(request);
    const outcome = this.outcomes.shift() ?? begun;
    return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
  }

  cancel(sessionId: string): Promise<{ kind: 'cancelled' }> {
    this.cancelled.push(sessionId);
    return Promise.resolve({ kind: 'cancelled' });
  }
}

const begun = {
  kind: 'begun',
  row: { stage: 'awaiting_content' },
  expiresAt: Date.UTC(2026, 0, 5, 9, 5),
} as BeginOutcome;

const holder = (fields: Partial<BlockingSession> = {}) =>
  ({
    sessionId: 'held',
    targetFile: 'docs/big.md',
    projectId: 'p1',
    conversationId: 'c9',
    turnId: 't9',
    openInputId: null,
    isAbandoned: false,
    ...fields,
  }) as BlockingSession;

const conflict = (
  holders: readonly BlockingSession[],
  lock: 'target' | 'slots' = 'target',
): BeginOutcome => ({
  kind: 'conflict',
  lock,
  holders,
  maxConcurrent: 20,
});

const world = () => {
  const writeSessions = new FakeSessions();
  const tool = createWritePlanBeginTool({
    writeSessions,
    isUnavailable: (error) => error === AWAY,
  });
  const registry = createToolRegistry([tool]);
  const ledger = new MemoryLedger();
  const clock = { now: () => 0 };
  const run = (args: object, writeSession: object = { sessionId: SESSION }) =>
    createToolRunner({ registry, copies: discardedCopies, ledger, clock }).execute(
      {
        id: 'c1',
        type: 'function',
        function: { name: 'WritePlanTool_begin', arguments: JSON.stringify(args) },
      },
      {
        turnId: 't1',
        phaseIndex: 1,
        position: 0,
        projectId: 'p1',
        mode: 'act',
        signal: new AbortController().signal,
        writeSession: { sessionId: SESSION, ...writeSession },
      },
    );
  return { writeSessions, registry, ledger, run };
};

const GOOD = { target_file: 'docs/big.md', operation: 'create', intent: 'a guide' };

describe('WritePlanTool_begin', () => {
  it('begins the session that the workflow has drawn, and says what comes next', async () => {
    const { writeSessions, run } = world();
    expect(await run(GOOD, { inactivityMs: 6_000 })).toMatchObject({
      success: true,
      result: {
        session_id: SESSION,
        stage: 'awaiting_content',
        instruction: WRITE_SESSION_TEXTS.instruction,
        target_file: 'docs/big.md',
        operation: 'create',
        expires_at: '2026-01-05T09:05:00.000Z',
      },
    });
    expect(writeSessions.begun).toEqual([
      {
        sessionId: SESSION,
        projectId: 'p1',
        turnId: 't1',
        targetFile: 'docs/big.md',
        operation: 'create',
        intent: 'a guide',
        inactivityMs: 6_000,
      },
    ]);
  });

  it.each([
    [{ operation: 'create' }, WRITE_SESSION_TEXTS.targetRequired],
    [{ target_file: ' ', operation: 'create' }, WRITE_SESSION_TEXTS.targetRequired],
    [{ target_file: 'a', operation: 'replace' }, WRITE_SESSION_TEXTS.invalidOperation],
    [{ target_file: 'a' }, WRITE_SESSION_TEXTS.invalidOperation],
  ])('refuses %j with the text all clients get', async (args, error) => {
    const { writeSessions, run } = world();
    expect(await run(args)).toMatchObject({ success: false, error });
    expect(writeSessions.begun).toEqual([]);
  });

  it('tells the model of a conflict and of a target that may not be written', async () => {
    const { writeSessions, run } = world();
    writeSessions.outcomes = [conflict([holder()])];
    expect(await run(GOOD)).toMatchObject({
      success: false,
      error: WRITE_SESSION_TEXTS.sessionActive,
      details: {
        reason:
          'docs/big.md belongs to write session held (project p1, conversation c9, turn t9); `orion write cancel held` frees it.',
        next: expect.stringContaining('You cannot wait.'),
        sessionId: 'held',
        command: 'orion write cancel held',
      },
    });
    const other = world();
    other.writeSessions.outcomes = [{ kind: 'invalid', reason: 'outside of the workspace' }];
    expect(await other.run(GOOD)).toMatchObject({ error: 'Validation failed: outside of the workspace' });
  });

  it('reveals of a foreign project only that there is a session', async () => {
    const { writeSessions, run } = world();
    writeSessions.outcomes = [conflict([holder({ projectId: 'p2', targetFile: 'secret.md' })])];
    const result = await run(GOOD);
    expect(result.details).toEqual({
      reason: 'Another session has the target.',
      next: expect.any(String),
      lock: 'target',
    });
  });

  it('lets the model try again while a server is away', async () => {
    const { writeSessions, run } = world();
    writeSessions.outcomes = [AWAY];
    expect(await run(GOOD)).toMatchObject({
      success: false,
      error: INTERNAL_ERROR_TEXT,
      retryable: true,
    });
  });

  it('ends what this turn or an ended one of the conversation has left open', async () => {
    const { writeSessions, run } = world();
    writeSessions.outcomes = [
      conflict([holder(), holder({ sessionId: 'left-before', isAbandoned: true })], 'slots'),
    ];
    expect(await run(GOOD, { replaces: 'left-now' })).toMatchObject({ success: true });
    expect(writeSessions.cancelled).toEqual(['left-now', 'left-before']);
  });

  it('runs again when its attempt was lost: the same begin is one session, never OUTCOME_UNKNOWN', async () => {
    const { writeSessions, ledger, run } = world();
    await ledger.begin({ turnId: 't1', phaseIndex: 1, position: 0 });
    expect(await run(GOOD)).toMatchObject({ success: true, result: { session_id: SESSION } });
    expect(writeSessions.begun).toHaveLength(1);
  });

  it('is offered in act mode only, with both arguments required', () => {
    const { registry } = world();
    expect(registry.definitions('plan')).toEqual([]);
    const [definition] = registry.definitions('act');
    expect(definition?.function.parameters).toMatchObject({
      required: ['target_file', 'operation'],
      properties: { operation: { enum: ['create', 'overwrite', 'append'] } },
    });
  });
});
