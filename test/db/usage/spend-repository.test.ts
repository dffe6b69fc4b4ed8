import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { createConversationLists } from '../../../src/db/conversations/conversation-lists.ts';
import { createConversationRepository } from '../../../src/db/conversations/conversation-repository.ts';
import * as wastedCosts from '../../../src/db/migrations/0042-wasted-costs.ts';
import {
  createSpendRepository,
  type CallReservation,
  type DaySpend,
} from '../../../src/db/usage/spend-repository.ts';
import { createStepRepository } from '../../../src/db/turns/step-repository.ts';
import { createSegmentRepository } from '../../../src/db/turns/segment-repository.ts';
import type { CostLimits } from '../../../src/db/turns/turn-insert.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answered, attempt, turnInput, userMessage } from '../../support/turn-fixtures.ts';
import { onOneDay, todayUtc } from './support/on-one-day.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const spend = () => createSpendRepository(database.db);
const turns = () => createTurnRepository(database.db);

const startTurn = (
  turnId: string,
  startedBy: string,
  { costLimits, ...more }: { conversationId?: string; costLimits?: CostLimits } = {},
) => {
  const message = { ...userMessage, ...(costLimits && { costLimits }) };
  return turns().insert(turnInput(turnId, more), 'hash', message, startedBy);
};

/** Claims the step for another attempt; resolves to its epoch. */
const claim = async (turnId: string, step = 1): Promise<number> => {
  const claimed = await createStepRepository(database.db).claim({
    turnId,
    step,
    scheduledAt: new Date(1_000),
    runId: 'run-1',
    messages: [],
    decidePrompt: () =>
      Promise.resolve({
        anchorTurnId: turnId,
        summaryTurnId: null,
        preface: '',
        known: { files: [], instructions: null, skills: [] },
      }),
  });
  if (claimed.kind !== 'claimed') throw new Error(`expected a claim, received ${claimed.kind}`);
  return claimed.epoch;
};

/** Returns a reservation: the prompt costs 100 and each token of output 2, up to 300. */
const call = (turnId: string, epoch: number, more: Partial<CallReservation> = {}): CallReservation => ({
  turnId,
  step: Math.floor(epoch / 100),
  epoch,
  model: 'm',
  maxCost: 300,
  promptCost: 100,
  outputPrice: 2_000_000,
  seen: {},
  ...more,
});

const begin = async (turnId: string, more: Partial<CallReservation> = {}): Promise<number> => {
  const epoch = await claim(turnId, more.step);
  expect(await spend().reserve(call(turnId, epoch, more))).toBe('reserved');
  return epoch;
};

/** The days that the database may give to what these tests spend: two of them if midnight UTC comes meanwhile. */
const firstDay = todayUtc();
const possibleDays = () => [...new Set([firstDay, todayUtc()])];

/** Resolves to the sums of an owner over the days of this run, or to undefined if the owner has none. */
const sumsOf = async (owner: string): Promise<Omit<DaySpend, 'owner' | 'day'> | undefined> => {
  const { rows } = await spend().listDays({ days: 2, owner, limit: 10, offset: 0 });
  expect(rows.filter((row) => row.owner !== owner || !possibleDays().includes(row.day))).toEqual([]);
  if (rows.length === 0) return undefined;
  const sums = { spent: 0, wasted: 0, reserved: 0 };
  for (const { spent, wasted, reserved } of rows) {
    sums.spent += spent;
    sums.wasted += wasted;
    sums.reserved += reserved;
  }
  return sums;
};

const costOf = async (turnId: string) => (await turns().find(turnId))?.cost;

describe('an attempt of a model call', () => {
  it('reserves before it, and settles once what it has cost', async () => {
    await startTurn('one', 'ann');
    const epoch = await begin('one');
    expect(await sumsOf('ann')).toEqual({ spent: 0, wasted: 0, reserved: 300 });
    expect(await spend().reserve(call('one', epoch))).toBe('reserved');
    await spend().settle('one', epoch, 140);
    await spend().settle('one', epoch, 900);
    expect(await sumsOf('ann')).toEqual({ spent: 140, wasted: 0, reserved: 0 });
    expect(await costOf('one')).toEqual({ total: 140, wasted: 0 });
  });

  it('reserves nothing once a later one has claimed the step, or the turn has ended', async () => {
    await startTurn('late', 'bob');
    const first = await claim('late');
    await claim('late');
    expect(await spend().reserve(call('late', first))).toBe('superseded');
    await turns().close(answered('late', '0-1'));
    expect(await spend().reserve(call('late', first + 1))).toBe('ended');
    expect(await spend().reserve(call('nobody', first))).toBe('ended');
    expect(await sumsOf('bob')).toBeUndefined();
  });

  it('settles the previous attempt, which was lost, as waste: its prompt and what was seen', async () => {
    await startTurn('again', 'cyd');
    const first = await begin('again');
    await begin('again', { seen: { [first]: 20 } });
    expect(await sumsOf('cyd')).toEqual({ spent: 140, wasted: 140, reserved: 300 });
    // Its worker was still alive, and nothing is counted twice.
    await spend().settle('again', first, 250);
    expect(await sumsOf('cyd')).toEqual({ spent: 140, wasted: 140, reserved: 300 });
  });

  it('costs no more than was reserved, whatever is said to have been seen', async () => {
    await startTurn('much', 'dan');
    const first = await begin('much');
    await begin('much', { seen: { [first]: 1_000_000 } });
    expect(await sumsOf('dan')).toMatchObject({ spent: 300 });
  });

  it('that has ended well becomes waste when its step is done again', async () => {
    await startTurn('lost-result', 'eve');
    const first = await begin('lost-result');
    await spend().settle('lost-result', first, 150);
    const second = await begin('lost-result');
    await spend().settle('lost-result', second, 160);
    expect(await sumsOf('eve')).toEqual({ spent: 310, wasted: 150, reserved: 0 });
    expect(await costOf('lost-result')).toEqual({ total: 310, wasted: 150 });
  });
});

/** Runs `work` on a database that no other test uses, for work that changes its tables. */
const onOwnDatabase = async (work: () => Promise<void>): Promise<void> => {
  const shared = database;
  database = await createTestDatabase();
  try {
    await work();
  } finally {
    await database.close();
    database = shared;
  }
};

describe('the end of a turn', () => {
  it('leaves nothing reserved, and keeps the sums of turn and conversation', async () => {
    await startTurn('ended', 'fay', { conversationId: 'talk' });
    await begin('ended');
    await createSegmentRepository(database.db).store('ended', 101, [attempt(1, 'x'.repeat(40))]);
    const second = await begin('ended', { step: 2 });
    await spend().settle('ended', second, 130);
    await turns().close(answered('ended', '101-2'));
    // No worker has reported the end of the first attempt, so its segment tells what was seen.
    expect(await sumsOf('fay')).toEqual({ spent: 230, wasted: 0, reserved: 0 });
    expect(await costOf('ended')).toEqual({ total: 230, wasted: 0 });
    const lists = createConversationLists(database.db);
    const { rows } = await lists.listConversations({ projectId: 'project', limit: 50, offset: 0 });
    expect(rows.find(({ conversationId }) => conversationId === 'talk')).toMatchObject({ cost: 230 });
    const key = { projectId: 'project', conversationId: 'talk' };
    const conversations = createConversationRepository(database.db);
    expect(await conversations.open(key, { limit: 5, offset: 0 })).toMatchObject({ turns: [{ cost: 230 }] });
  });

  it('adds wasted costs to the conversation, also those of turns that ended before they were counted', async () => {
    await onOwnDatabase(async () => {
      await startTurn('in-vain', 'gus', { conversationId: 'vain' });
      const first = await begin('in-vain');
      await spend().settle('in-vain', first, 150);
      await spend().settle('in-vain', await begin('in-vain'), 160);
      await turns().close(answered('in-vain', '0-1'));
      await startTurn('well', 'gus', { conversationId: 'vain' });
      await spend().settle('well', await begin('well'), 40);
      await turns().close(answered('well', '0-1'));
      const listed = async () => {
        const lists = createConversationLists(database.db);
        const { rows } = await lists.listConversations({ projectId: 'project', limit: 50, offset: 0 });
        return rows.find(({ conversationId }) => conversationId === 'vain');
      };
      expect(await listed()).toMatchObject({ cost: 350, wastedCost: 150 });
      await sql`alter table conversations drop column wasted_cost`.execute(database.db);
      const { up }: Migration = wastedCosts;
      await up(database.db);
      expect(await listed()).toMatchObject({ cost: 350, wastedCost: 150 });
    });
  });

  it('counts what readers have seen of a lost attempt', async () => {
    await startTurn('seen', 'gil');
    const epoch = await begin('seen');
    await turns().close(
      answered('seen', '101-2', { ownEvents: [{ epoch, seq: 2, after: '0-1', events: ['x'.repeat(41)] }] }),
    );
    expect(await sumsOf('gil')).toEqual({ spent: 122, wasted: 0, reserved: 0 });
  });

  it('from outside settles the costs, too', async () => {
    await startTurn('outside', 'hal');
    const epoch = await begin('outside');
    const batches = [{ epoch, seq: 2, after: '0-1', events: ['x'.repeat(40)] }];
    await turns().close({ turnId: 'outside', outside: { batches } });
    expect(await sumsOf('hal')).toEqual({ spent: 120, wasted: 0, reserved: 0 });
  });

  it('without a model call costs nothing; with a call that had no price its cost is not known', async () => {
    await startTurn('silent', 'ida');
    expect(await costOf('silent')).toEqual({ total: 0, wasted: 0 });
    await turns().close(answered('silent', '0-1'));
    expect(await costOf('silent')).toEqual({ total: 0, wasted: 0 });
    await startTurn('unpriced', 'ida', { conversationId: 'unpriced' });
    await claim('unpriced');
    const second = await begin('unpriced', { step: 2 });
    await spend().settle('unpriced', second, 130);
    expect(await costOf('unpriced')).toBeNull();
    await turns().close(answered('unpriced', '0-1'));
    expect(await costOf('unpriced')).toBeNull();
    expect(await sumsOf('ida')).toEqual({ spent: 130, wasted: 0, reserved: 0 });
  });
});

describe('a budget', () => {
  it('of a turn allows no attempt that could exceed it, and what was saved is there for the next one', async () => {
    await startTurn('poor', 'jan', { costLimits: { turn: 400 } });
    const first = await begin('poor');
    await spend().settle('poor', first, 150);
    const second = await claim('poor', 2);
    expect(await spend().reserve(call('poor', second))).toBe('over_budget');
    expect(await spend().reserve(call('poor', second))).toBe('over_budget');
    const third = await claim('poor', 3);
    expect(await spend().reserve(call('poor', third, { maxCost: 250 }))).toBe('reserved');
    await turns().close(answered('poor', '0-1'));
    expect(await sumsOf('jan')).toEqual({ spent: 250, wasted: 0, reserved: 0 });
    expect(await costOf('poor')).toEqual({ total: 250, wasted: 0 });
  });

  it('of a key and day counts all of its turns, and no others', async () => {
    await onOneDay(async (owner) => {
      const costLimits = { day: 599 };
      const [first, second, other] = [`${owner}-1`, `${owner}-2`, `${owner}-other`] as const;
      for (const turnId of [first, second]) await startTurn(turnId, owner, { costLimits });
      await startTurn(other, other, { costLimits });
      await begin(first);
      expect(await spend().reserve(call(second, await claim(second)))).toBe('over_budget');
      await begin(other);
      expect(await spend().loadToday(owner)).toMatchObject({ spent: 0, reserved: 300 });
      expect(await spend().loadToday('nobody')).toEqual({ spent: 0, reserved: 0 });
    });
  });

  it('that a single attempt could exceed reserves nothing', async () => {
    await startTurn('tiny', 'lea', { costLimits: { day: 299 } });
    expect(await spend().reserve(call('tiny', await claim('tiny')))).toBe('over_budget');
    expect(await sumsOf('lea')).toBeUndefined();
  });
});

it('costs are listed by day, newest first, then by key, in pages, and none from before the first day', async () => {
  const { db, close } = await createTestDatabase();
  // One statement, so that all days are counted from the same one.
  await sql`insert into spend (owner, spent, day)
    select owner, spent, (now() at time zone 'utc')::date - days_ago from (values
      ('ann', 1, 2), ('bob', 2, 0), ('ann', 3, 0), ('bob', 4, 2), ('ann', 5, 9)
    ) as costs (owner, spent, days_ago)`.execute(db);
  const page = async (offset: number) => {
    const listed = await createSpendRepository(db).listDays({ days: 5, limit: 3, offset });
    return [listed.rows.map(({ owner, spent }) => `${owner} ${spent}`), listed.hasMore];
  };
  expect(await page(0)).toEqual([['ann 3', 'bob 2', 'ann 1'], true]);
  expect(await page(3)).toEqual([['bob 4'], false]);
  await close();
});
