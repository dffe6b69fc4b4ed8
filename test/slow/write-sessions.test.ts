/** What takes minutes: the real inactivity timeout, and races by the thousand (`npm run test:slow`). */
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { raceWithCancel, raceWithTimer, runRaces } from '../write-session-service/support/session-races.ts';
import { SessionWorld } from '../write-session-service/support/session-world.ts';
import { endOf } from '../support/workflow-end.ts';

jest.setTimeout(900_000);

let world: SessionWorld;
beforeAll(async () => {
  world = await SessionWorld.open();
});
afterAll(() => world.close());

it('500 finalizes racing a cancel have one outcome each', async () => {
  expect(await runRaces(world, 500, raceWithCancel)).toEqual(new Set(['committed', 'cancelled']));
});

it('500 finalizes racing the inactivity timer have one outcome each', async () => {
  expect(await runRaces(world, 500, raceWithTimer)).toEqual(new Set(['committed', 'expired']));
});

it('five minutes of silence end a session that nobody touches, and free its lock', async () => {
  const sessionId = await world.begun();
  expect((await world.begin()).kind).toBe('conflict');
  await endOf(world.workflow(sessionId));
  const { stage, startedAt, endedAt } = await world.row(sessionId);
  const seconds = ((endedAt?.getTime() ?? 0) - startedAt.getTime()) / 1_000;
  expect(stage).toBe('expired');
  expect(seconds).toBeGreaterThanOrEqual(300);
  expect(seconds).toBeLessThan(305);
  expect((await world.begin()).kind).toBe('begun');
});
