import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import type { EventBatch } from '../../../src/contracts/wire/event-batch.ts';
import { createMessageRepository } from '../../../src/db/conversations/message-repository.ts';
import { createSegmentRepository } from '../../../src/db/turns/segment-repository.ts';
import { UnknownTurnError } from '../../../src/db/turns/turn-close.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import {
  accept,
  expandBatch,
  fullContentOf,
  type LoggedEvent,
} from '../../../src/protocol/event-log/event-log.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answered, attempt, opening, turnInput, userMessage } from '../../support/turn-fixtures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const turns = () => createTurnRepository(database.db);

const put = (turnId: string, batch: EventBatch) =>
  createSegmentRepository(database.db).store(turnId, batch.epoch, [batch]);

const startTurn = async (turnId: string, ...attempts: EventBatch[]) => {
  await turns().insert(turnInput(turnId), 'hash', userMessage);
  for (const batch of attempts) await put(turnId, batch);
};

const replies = async (turnId: string) => {
  const { messages } = await createMessageRepository(database.db).list({
    projectId: 'project',
    conversationId: `of-${turnId}`,
    limit: 10,
    offset: 0,
  });
  return messages.filter(({ sender }) => sender === 'orion');
};

/** Returns the events of a reader that accepts stored events by the shared acceptance function. */
const replay = (events: readonly LoggedEvent[]): LoggedEvent[] => {
  const list: LoggedEvent[] = [];
  for (const event of events) expect(accept(list, event)).toBe('accepted');
  return list;
};

describe('close', () => {
  it('stores row, terminal event and reply with the text of the surviving attempt', async () => {
    await startTurn('answered', attempt(1, 'lost '), attempt(2, 'Hello ', 'world'));
    const { isClosedHere, terminal } = await turns().close(answered('answered', '102-3'));
    expect(isClosedHere).toBe(true);
    expect(terminal).toMatchObject({
      id: '199-4',
      after: '102-3',
      event: { type: 'done', fullContent: 'Hello world', reason: 'answered' },
    });
    const row = await turns().find('answered');
    expect(row).toMatchObject({
      status: 'completed',
      reason: 'answered',
      content: 'Hello world',
      terminal,
      phase: 0,
      cycle: 0,
      usage: { promptTokens: 10, completionTokens: 2 },
    });
    expect(row?.endedAt?.getTime()).toBeGreaterThanOrEqual(row?.startedAt.getTime() ?? Infinity);
    expect(await replies('answered')).toMatchObject([
      { content: 'Hello world', metadata: { status: 'completed', reason: 'answered' } },
    ]);
  });

  it('keeps what a failed turn has said, with the code of the failure', async () => {
    await startTurn('failed', attempt(1, 'half an ans'));
    const terminal = { type: 'error', code: 'model_unavailable', message: 'gone' } as const;
    await turns().close(answered('failed', '101-2', { terminal }));
    expect(await turns().find('failed')).toMatchObject({ status: 'failed', reason: 'model_unavailable' });
    expect(await replies('failed')).toMatchObject([
      { content: 'half an ans', metadata: { status: 'failed', code: 'model_unavailable' } },
    ]);
  });

  it('stores text that Postgres cannot hold: exact in the event, made safe in the message', async () => {
    await startTurn('hostile', attempt(1, 'a\0', '\ud83d', '\ude00', '\udfff'));
    await turns().close(answered('hostile', '101-5'));
    expect((await turns().find('hostile'))?.terminal?.event).toMatchObject({ fullContent: 'a\0😀\udfff' });
    expect(fullContentOf((await turns().findEvents('hostile')) ?? [])).toBe('a\0😀\udfff');
    expect((await replies('hostile'))[0]?.content).toBe('a\uFFFD😀\uFFFD');
  });

  it('the first of 20 closes at once over two processes wins, and all get its terminal event and one reply', async () => {
    await startTurn('contested', attempt(1, 'text'));
    const other = createTurnRepository(database.openAnother());
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) => {
        const repository = i % 2 ? turns() : other;
        return i % 3
          ? repository.close(answered('contested', '101-2', { cycle: i }))
          : repository.close({ turnId: 'contested', outside: { batches: [] } });
      }),
    );
    const winner = outcomes.filter(({ isClosedHere }) => isClosedHere);
    expect(winner).toHaveLength(1);
    for (const { terminal } of outcomes) expect(terminal).toEqual(winner[0]?.terminal);
    expect(await replies('contested')).toHaveLength(1);
    expect((await turns().find('contested'))?.terminal).toEqual(winner[0]?.terminal);
  });

  it('cut after any statement leaves the turn running with nothing half done, and can be repeated', async () => {
    await startTurn('torn', attempt(1, 'text'));
    // An answer that cannot be inserted stands for a crash just before the commit.
    await sql`insert into chat_messages (turn_id, project_id, conversation_id, sender, content, metadata)
      values ('torn', 'project', 'of-torn', 'orion', 'in the way', '{}')`.execute(database.db);
    await expect(turns().close(answered('torn', '101-2'))).rejects.toThrow('duplicate key');
    expect(await turns().find('torn')).toMatchObject({ status: 'running', terminal: null, content: null });
    const { rows } = await sql<{ epoch: number }>`
      select epoch from turn_segments where turn_id = 'torn'`.execute(database.db);
    expect(rows).toEqual([{ epoch: 101 }]);
    await sql`delete from chat_messages where turn_id = 'torn' and sender = 'orion'`.execute(database.db);
    expect((await turns().close(answered('torn', '101-2'))).isClosedHere).toBe(true);
  });

  it('says so if the turn is unknown', async () => {
    await expect(turns().close(answered('nobody', '0-1'))).rejects.toThrow(UnknownTurnError);
  });
});

describe('close from outside', () => {
  it('withdraws everything and writes the durable events again, under an epoch of its own', async () => {
    await startTurn('outside', attempt(1, 'zombie text that was never durable'));
    const { terminal } = await turns().close({
      turnId: 'outside',
      outside: { batches: [opening, attempt(2, 'kept')] },
    });
    expect(terminal).toMatchObject({
      id: '999999-3',
      after: '999999-2',
      event: { type: 'error', code: 'turn_ended_outside' },
    });
    expect(await turns().find('outside')).toMatchObject({
      status: 'failed',
      content: 'kept',
      phase: 0,
      cycle: 0,
    });
    const events = (await turns().findEvents('outside')) ?? [];
    expect(events.map(({ id, after, event }) => [id.epoch, id.seq, after, event.type])).toEqual([
      [999_999, 0, null, 'reset'],
      [999_999, 1, undefined, 'phase'],
      [999_999, 2, undefined, 'chunk'],
      [999_999, 3, undefined, 'error'],
    ]);
    replay(events);
    expect(await replies('outside')).toMatchObject([
      { content: 'kept', metadata: { status: 'failed', code: 'turn_ended_outside' } },
    ]);
  });

  it('reaches a viewer that holds other events: it ends with what everybody else holds', async () => {
    await startTurn('viewer');
    await turns().close({ turnId: 'viewer', outside: { batches: [opening] } });
    const held = [...expandBatch(opening), ...expandBatch(attempt(1, 'seen live', 'only'))];
    const events = (await turns().findEvents('viewer')) ?? [];
    expect(replay([...held, ...events])).toEqual(events);
  });

  it('without any durable event ends with only the error', async () => {
    await startTurn('lost');
    await turns().close({ turnId: 'lost', outside: { batches: [] } });
    const events = (await turns().findEvents('lost')) ?? [];
    expect(events.map(({ event }) => event.type)).toEqual(['reset', 'error']);
    expect(await replies('lost')).toMatchObject([{ content: '' }]);
  });
});

describe('events', () => {
  it('are the surviving list, the terminal event last', async () => {
    await startTurn('late', attempt(2, 'b', 'c'), attempt(1, 'a'));
    expect(await turns().findEvents('late')).toBeUndefined();
    await turns().close(answered('late', '102-3'));
    const events = (await turns().findEvents('late')) ?? [];
    expect(replay(events).map(({ event }) => event.type)).toEqual([
      'phase',
      'reset',
      'chunk',
      'chunk',
      'done',
    ]);
    expect(await turns().findEvents('nobody')).toBeUndefined();
  });

  it('do not change when an attempt that outlived its turn stores its segment', async () => {
    await startTurn('settled', attempt(1, 'said'));
    await turns().close(answered('settled', '101-2'));
    const before = await turns().findEvents('settled');
    await put('settled', attempt(2, 'late'));
    expect(await turns().findEvents('settled')).toEqual(before);
  });

  it('keep the first segment of an epoch', async () => {
    await startTurn('first', attempt(1, 'kept'));
    await put('first', attempt(1, 'other'));
    await turns().close(answered('first', '101-2'));
    expect(fullContentOf((await turns().findEvents('first')) ?? [])).toBe('kept');
  });

  it('segment and close at the same moment: text and events agree, whoever is first', async () => {
    const other = createSegmentRepository(database.openAnother());
    for (let i = 0; i < 20; i += 1) {
      await startTurn(`race-${i}`);
      await Promise.all([
        other.store(`race-${i}`, 101, [attempt(1, 'text')]),
        turns().close(answered(`race-${i}`, '101-2')),
      ]);
      const row = await turns().find(`race-${i}`);
      expect(fullContentOf((await turns().findEvents(`race-${i}`)) ?? [])).toBe(row?.content);
    }
  });
});

describe('claimRunning', () => {
  it('gives each running row to one of several sweepers, and not again for a while', async () => {
    await startTurn('swept-1');
    await startTurn('swept-2');
    await startTurn('swept-3');
    const others = [database.openAnother(), database.openAnother()].map(createTurnRepository);
    const options = { olderThanMs: 0, limit: 100 };
    const claims = await Promise.all([turns(), ...others].map((sweeper) => sweeper.claimRunning(options)));
    const ids = claims.flat().map(({ turnId }) => turnId);
    expect(ids.filter((id) => id.startsWith('swept')).sort()).toEqual(['swept-1', 'swept-2', 'swept-3']);
    expect(new Set(ids).size).toBe(ids.length);
    expect(await turns().claimRunning(options)).toEqual([]);
    await sql`update turns set swept_at = now() - interval '10 seconds'`.execute(database.db);
    expect((await turns().claimRunning({ olderThanMs: 0, limit: 2 })).length).toBe(2);
  });

  it('does not claim young and ended turns', async () => {
    await startTurn('young');
    expect(await turns().claimRunning({ olderThanMs: 60_000, limit: 100 })).toEqual([]);
  });
});
