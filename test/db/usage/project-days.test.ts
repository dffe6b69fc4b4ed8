import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { createListProjectDays } from '../../../src/db/usage/project-days.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answered, turnInput, userMessage } from '../../support/turn-fixtures.ts';
import { onOneDay } from './support/on-one-day.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const DAY_MS = 86_400_000;
/** Returns noon (UTC) `daysAgo` days ago. */
const noonOf = (daysAgo: number): Date => {
  const now = new Date(Date.now() - daysAgo * DAY_MS);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), 12));
};

const run = async (turnId: string, daysAgo: number, projectId: string): Promise<void> => {
  const turns = createTurnRepository(database.db);
  await turns.insert(turnInput(turnId, { projectId }), 'hash', userMessage);
  await sql`update turns set started_at = ${noonOf(daysAgo)} where turn_id = ${turnId}`.execute(database.db);
};

const end = async (turnId: string, cost: number | null, isOk = true): Promise<void> => {
  await createTurnRepository(database.db).close(
    answered(turnId, '0-1', {
      usage: { promptTokens: 100, cachedTokens: 40, completionTokens: 5 },
      waste: { duplicatesRefused: 1, retriedTokens: 3, discardedCharacters: 7 },
    }),
  );
  const status = isOk ? 'completed' : 'failed';
  await sql`update turns set cost = ${cost}, wasted_cost = 2, status = ${status}
    where turn_id = ${turnId}`.execute(database.db);
};

it('the turns of a project are summed up by day, those that run and those without a price among them', async () => {
  await onOneDay(async (project) => {
    const [priced, failed, foreign] = [
      `${project}-priced`,
      `${project}-failed`,
      `${project}-foreign`,
    ] as const;
    await run(`${project}-old`, 3, project);
    await run(priced, 1, project);
    await end(priced, 50);
    await run(failed, 1, project);
    await end(failed, null, false);
    await run(foreign, 1, foreign);
    await run(`${project}-running`, 0, project);
    const read = createListProjectDays(database.db);
    const dayOf = (daysAgo: number): string => noonOf(daysAgo).toISOString().slice(0, 10);
    const nothing = {
      failed: 0,
      cost: 0,
      wastedCost: 0,
      unpriced: 0,
      promptTokens: 0,
      cachedTokens: 0,
      completionTokens: 0,
      duplicatesRefused: 0,
      retriedTokens: 0,
      discardedCharacters: 0,
    };
    expect(await read(project, 2)).toEqual([
      {
        day: dayOf(1),
        turns: 2,
        failed: 1,
        cost: 50,
        wastedCost: 4,
        unpriced: 1,
        promptTokens: 200,
        cachedTokens: 80,
        completionTokens: 10,
        duplicatesRefused: 2,
        retriedTokens: 6,
        discardedCharacters: 14,
      },
      { day: dayOf(0), turns: 1, ...nothing },
    ]);
    expect((await read(project, 4)).map(({ day }) => day)).toEqual([dayOf(3), dayOf(1), dayOf(0)]);
    expect(await read(foreign, 366)).toEqual([{ day: dayOf(1), turns: 1, ...nothing }]);
    expect(await read('unknown', 30)).toEqual([]);
  });
});
