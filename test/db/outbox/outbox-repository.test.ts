/** A notification for the webhook is stored together with what it reports, and contains no text of it. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { inputIdOf } from '../../../src/contracts/inputs/input-id.ts';
import { createInputRepository, type InputRepository } from '../../../src/db/inputs/input-repository.ts';
import { createOutboxRepository, type OutboxRepository } from '../../../src/db/outbox/outbox-repository.ts';
import { createTurnRepository, type TurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answered, turnInput, userMessage } from '../../support/turn-fixtures.ts';

let database: TestDatabase;
let turns: TurnRepository;
let inputs: InputRepository;
let outbox: OutboxRepository;
beforeAll(async () => {
  database = await createTestDatabase();
  turns = createTurnRepository(database.db);
  inputs = createInputRepository(database.db);
  outbox = createOutboxRepository(database.db);
});
afterAll(() => database.close());

const SECRET = 'a-password-in-a-diff';

const started = (turnId: string, notifies = true): Promise<unknown> =>
  turns.insert(turnInput(turnId, notifies ? { notifies } : {}), 'hash', userMessage);

const announceRequest = async (turnId: string): Promise<unknown> => {
  const request = {
    tool: 'FileSystemTool_write_to_file',
    callId: 'c1',
    arguments: JSON.stringify({ path: 'a.md', content: SECRET }),
    effect: 'write',
    target: 'a.md',
    options: ['allow', 'deny'],
  } as const;
  const argsHash = 'a'.repeat(64);
  await inputs.prepare({ turnId, n: 1, kind: 'approval', request, argsHash, diff: `+${SECRET}\n` });
  const expiresAt = new Date('2026-01-06T09:00:00Z');
  return inputs.open(turnId, 1, { message: SECRET, default: 'deny', expiresAt });
};

const resolution = (turnId: string) => ({
  inputId: inputIdOf(turnId, 1),
  reply: 'deny' as const,
  by: { kind: 'key' as const, name: 'anna' },
  at: '2026-01-05T09:00:00.000Z',
  note: SECRET,
});

const due = async (turnId: string): Promise<unknown[]> => {
  const ids = await outbox.listDue(turnId);
  return Promise.all(ids.map(async (id) => (await outbox.find(id))?.body));
};

const OF = (turnId: string) => ({ turnId, projectId: 'project', conversationId: `of-${turnId}` });
const INPUT = (turnId: string) => ({
  ...OF(turnId),
  inputId: `${turnId}/1`,
  kind: 'approval',
  tool: 'FileSystemTool_write_to_file',
  target: 'a.md',
  link: `/api/turns/${turnId}/inputs/1`,
});

describe('the outbox', () => {
  it('has what was asked, what was replied and how it ended, once each, and no text', async () => {
    await started('told');
    await announceRequest('told');
    await announceRequest('told');
    await inputs.close('told', [resolution('told')]);
    await inputs.close('told', [resolution('told')]);
    await turns.close(answered('told', '0-1', { resolutions: [resolution('told')] }));
    await turns.close(answered('told', '0-1'));
    expect(await outbox.listDue('told')).toEqual(['told/1/requested', 'told/1/resolved', 'told/ended']);
    const bodies = await due('told');
    expect(bodies).toEqual([
      { type: 'input.requested', data: { ...INPUT('told'), expiresAt: '2026-01-06T09:00:00.000Z' } },
      {
        type: 'input.resolved',
        data: {
          ...INPUT('told'),
          reply: 'deny',
          by: { kind: 'key', name: 'anna' },
          at: '2026-01-05T09:00:00.000Z',
        },
      },
      {
        type: 'turn.ended',
        data: { ...OF('told'), status: 'completed', reason: 'answered', link: '/api/turns/told' },
      },
    ]);
    expect(JSON.stringify(bodies)).not.toContain(SECRET);
  });

  it('has nothing of a turn that does not notify', async () => {
    await started('silent', false);
    await announceRequest('silent');
    await inputs.close('silent', [resolution('silent')]);
    await turns.close(answered('silent', '0-1'));
    expect(await outbox.listDue('silent')).toEqual([]);
  });

  it('has no request of a turn that has ended, only its end', async () => {
    await started('over');
    await turns.close({ turnId: 'over', outside: { batches: [] } });
    await announceRequest('over');
    expect(await due('over')).toMatchObject([{ type: 'turn.ended', data: { status: 'failed' } }]);
  });

  it('gives a due notification to only one sweeper at a time, and none that has ended', async () => {
    await started('swept');
    await announceRequest('swept');
    await started('sent');
    await turns.close({ turnId: 'sent', outside: { batches: [] } });
    const claim = async (): Promise<string[]> =>
      (await outbox.claimDue({ olderThanMs: 0, limit: 100 })).map(({ webhookId }) => webhookId);
    expect(await outbox.end('sent/ended', 'given_up')).toBe(true);
    const claims = await Promise.all([claim(), claim()]);
    const all = claims.flat();
    expect(all).toContain('swept/1/requested');
    expect(all).not.toContain('sent/ended');
    expect(new Set(all).size).toBe(all.length);
    expect(await claim()).toEqual([]);
    expect(await outbox.end('sent/ended', 'sent')).toBe(false);
    expect(await outbox.find('sent/ended')).toMatchObject({ state: 'given_up' });
  });

  it('does not give out a notification again for an hour while it is under way', async () => {
    await started('left');
    await announceRequest('left');
    const claim = async (): Promise<string[]> =>
      (await outbox.claimDue({ olderThanMs: 0, limit: 100 })).map(({ webhookId }) => webhookId);
    const pass = (ms: number) =>
      database.db
        .updateTable('outbox')
        .set(({ eb }) => ({ due_at: eb('due_at', '-', sql<Date>`${ms} * interval '1 millisecond'`) }))
        .execute();
    expect(await claim()).toContain('left/1/requested');
    await outbox.markStarted('left/1/requested');
    await pass(9_001);
    expect(await claim()).not.toContain('left/1/requested');
    await pass(3_600_000);
    expect(await claim()).toContain('left/1/requested');
    // It was claimed but not marked as under way, so it is soon due again.
    await pass(9_001);
    expect(await claim()).toContain('left/1/requested');
  });

  it('has nothing about a request that nobody was asked, however it was resolved', async () => {
    await started('unasked');
    const request = { options: ['allow', 'deny'] as const };
    await inputs.prepare({ turnId: 'unasked', n: 1, kind: 'approval', request, argsHash: null, diff: null });
    await inputs.close('unasked', [{ ...resolution('unasked'), by: { kind: 'limit' } }]);
    expect(await outbox.listDue('unasked')).toEqual([]);
  });
});
