/** Tests turns of one key that race for its budget, in two processes which lose attempts. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import type { Database } from '../../../src/db/connection/database.ts';
import { createSpendRepository, type ReserveOutcome } from '../../../src/db/usage/spend-repository.ts';
import { createStepRepository } from '../../../src/db/turns/step-repository.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { createRandom } from '../../support/random.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { logLine } from '../../support/test-log.ts';
import { answered, turnInput, userMessage } from '../../support/turn-fixtures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase(LONG_TIMEOUTS);
});
afterAll(() => database.close());

/** With these timeouts in milliseconds a busy machine is not taken for an outage. */
const LONG_TIMEOUTS = { queryTimeoutMs: 60_000, connectTimeoutMs: 60_000 };
const TURNS = 1_000;
const AT_ONCE = 16;
const DAY_LIMIT = 200_000;
const TURN_LIMIT = 900;
const STEPS = 3;
const MAX_ATTEMPTS = 6;

const random = createRandom(7);

const processOn = (db: Database) => ({
  spend: createSpendRepository(db),
  steps: createStepRepository(db),
  turns: createTurnRepository(db),
});
type Process = ReturnType<typeof processOn>;

const outcomes = { reserved: 0, over_budget: 0, superseded: 0, ended: 0 };
let highest = 0;

/** Claims the step, and reserves 300 millionths for it, the most that the attempt may cost. */
const attempt = async (
  { steps, spend }: Process,
  { turnId, step, n }: { turnId: string; step: number; n: number },
): Promise<{ epoch: number; outcome: ReserveOutcome }> => {
  const known = { files: [], instructions: null, skills: [] };
  const claim = await steps.claim({
    turnId,
    step,
    scheduledAt: new Date(n),
    runId: 'run-1',
    messages: [],
    decidePrompt: () => Promise.resolve({ anchorTurnId: turnId, summaryTurnId: null, preface: '', known }),
  });
  if (claim.kind !== 'claimed') return { epoch: 0, outcome: 'ended' };
  const { epoch } = claim;
  const seen = random() < 0.5 ? { [epoch - 1]: Math.floor(random() * 150) } : {};
  const costs = { maxCost: 300, promptCost: 100, outputPrice: 2_000_000 };
  const outcome = await spend.reserve({ turnId, step, epoch, model: 'm', ...costs, seen });
  outcomes[outcome] += 1;
  const day = await spend.loadToday('racer');
  highest = Math.max(highest, day.spent + day.reserved);
  return { epoch, outcome };
};

const close = ({ turns }: Process, turnId: string) =>
  turns.close(random() < 0.8 ? answered(turnId, '0-1') : { turnId, outside: { batches: [] } });

/**
 * Runs the steps of a turn. Three attempts in ten die, and another one follows. While any other attempt settles its
 * cost, the turn may be closed or another attempt of the same step may begin.
 */
const race = async (any: () => Process, turnId: string): Promise<void> => {
  const message = { ...userMessage, costLimits: { day: DAY_LIMIT, turn: TURN_LIMIT } };
  await any().turns.insert(turnInput(turnId), 'hash', message, 'racer');
  for (let step = 1, n = 0; step <= STEPS && n < MAX_ATTEMPTS; n += 1) {
    const { epoch, outcome } = await attempt(any(), { turnId, step, n });
    if (outcome !== 'reserved') break;
    if (random() < 0.3) continue;
    const ends = [any().spend.settle(turnId, epoch, Math.floor(random() * 301))];
    if (random() < 0.1) ends.push(close(any(), turnId).then(() => undefined));
    if (random() < 0.1) ends.push(attempt(any(), { turnId, step, n: n + 1 }).then(() => undefined));
    await Promise.all(ends);
    step += 1;
  }
  await close(any(), turnId);
};

interface Sums {
  readonly spent: string;
  readonly reserved: string;
  readonly calls: string;
  readonly turns: string;
  readonly dearest: string;
  readonly open: string;
}

it('1,000 turns that race for a budget never exceed it, and leave nothing reserved', async () => {
  const processes = [processOn(database.db), processOn(database.openAnother(LONG_TIMEOUTS))] as const;
  const any = (): Process => processes[random() < 0.5 ? 0 : 1];
  const queue = Array.from({ length: TURNS }, (_, i) => `race-${i}`);
  const racer = async (): Promise<void> => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) await race(any, next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, racer));
  logLine(
    `budget: ${TURNS} turns raced, ${highest} of ${DAY_LIMIT} spent and reserved at most; ${JSON.stringify(outcomes)}`,
  );
  expect(highest).toBeLessThanOrEqual(DAY_LIMIT);
  expect(outcomes.reserved).toBeGreaterThan(500);
  expect(outcomes.over_budget).toBeGreaterThan(100);
  const { rows } = await sql<Sums>`
    select spent, reserved,
      (select sum(cost) from call_spend) as calls, (select sum(cost) from turns) as turns,
      (select max(cost) from turns) as dearest,
      (select count(*) from call_spend where cost is null) as open
    from spend`.execute(database.db);
  const [sums] = rows;
  expect(rows).toEqual([{ ...sums, reserved: '0', open: '0', calls: sums?.spent, turns: sums?.spent }]);
  expect(Number(sums?.dearest)).toBeLessThanOrEqual(TURN_LIMIT);
  expect(Number(sums?.spent)).toBeGreaterThan(DAY_LIMIT * 0.9);
}, 180_000);
