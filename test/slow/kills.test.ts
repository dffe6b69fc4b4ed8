/**
 * Kills one gateway, worker or Redis after the other with `kill -9` under streaming turns, in an order drawn from a
 * seed: no reader at either gateway loses an event, gets one twice or gets them in another order, whatever carries the
 * live lane. `ORION_TEST_KILLS` is the number of kills of each run, `ORION_TEST_SEED` repeats a run.
 */
import { afterEach, expect, it, jest } from '@jest/globals';
import { KillRun } from '../faults/support/kill-run.ts';
import { LooseProcesses } from '../faults/support/loose-processes.ts';
import { startFakeModel, type FakeModel } from '../support/fake-model/fake-model.ts';
import { longAnswer } from '../support/fake-model/responses.ts';
import { RedisServer } from '../support/redis-server.ts';

const KILLS = Number(process.env['ORION_TEST_KILLS'] ?? 15);
const PIECES = 60;
/** One of our processes takes a second or two to be back, and longer beside other work. */
const PER_KILL_MS = 10_000;
jest.setTimeout(KILLS * PER_KILL_MS + 60_000);

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const startModel = async (): Promise<FakeModel> => {
  const model = await startFakeModel();
  cleanUps.push(() => model.close());
  model.rules({ responses: [longAnswer(PIECES, 50)], repeat: true });
  return model;
};

it.each(['HTTP', 'Redis'])('kills across two gateways and two workers, the lane over %s', async (lane) => {
  const model = await startModel();
  const redis = lane === 'Redis' ? await RedisServer.start() : undefined;
  if (redis) cleanUps.push(() => redis.stop());
  const processes = await LooseProcesses.open({
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: 'sk-test',
    ORION_MODEL: 'fake',
    ...(redis && { REDIS_URL: redis.url }),
  });
  cleanUps.push(() => processes.stop());
  const seed = Number(process.env['ORION_TEST_SEED'] ?? Date.now() % 1_000_000);
  const dies = async (): Promise<void> => {
    await redis?.kill();
    await redis?.restart();
  };
  const run = new KillRun({
    processes,
    seed,
    kills: KILLS,
    pieces: PIECES,
    turns: 4,
    ...(redis && { others: { redis: dies } }),
  });
  const { turns, resets, silence, wrong, killed } = await run.run();
  const victims = Object.entries(killed).map(([name, times]) => `${name} ${times} times`);
  process.stderr.write(
    `lane over ${lane}, seed ${seed}: ${KILLS} kills (${victims.join(', ')}) under ${turns} turns read at two ` +
      `gateways: ${wrong.length} lost, doubled or out of order, ${resets} resets; ` +
      `next text after ${(silence / 1000).toFixed(1)} s at most\n`,
  );
  expect({ seed, wrong }).toEqual({ seed, wrong: [] });
  expect(resets).toBeGreaterThan(0);
});
