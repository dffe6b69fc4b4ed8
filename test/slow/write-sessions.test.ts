/** Covers what takes minutes (`npm run test:slow`): the real inactivity timeout, and thousands of races. */
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { raceWithCancel, raceWithTimer, runRaces } from '../write-session-service/support/session-races.ts';
import { SessionWorld } from '../write-session-service/support/session-world.ts';
import { endOf } from '../support/workflow-end.ts';
import { shareOf } from './share.ts';

jest.setTimeout(900_000);

let world: SessionWorld;
beforeAll(async () => {
  world = await SessionWorld.open();
});
afterAll(() => world.close());

const RACES = shareOf(500);

/** This session begins first, so that the races of other files take place while it is silent. */
const silent = { targetFile: 'silent.md', owner: 'silent' } as const;
let silentId: string;
beforeAll(async () => {
  silentId = await world.beginSession(silent);
  expect((await world.begin(silent)).kind).toBe('conflict');
});

it(`${RACES} finalizes racing a cancel have one outcome each`, async () => {
  expect(await runRaces(world, RACES, raceWithCancel)).toEqual(new Set(['committed', 'cancelled']));
});

it(`${RACES} finalizes racing the inactivity timer have one outcome each`, async () => {
  expect(await runRaces(world, RACES, raceWithTimer)).toEqual(new Set(['committed', 'expired']));
});

it('five minutes of silence end a session that nobody touches, and free its lock', async () => {
  await endOf(world.workflow(silentId));
  const { stage, startedAt, endedAt } = await world.row(silentId);
  const seconds = ((endedAt?.getTime() ?? 0) - startedAt.getTime()) / 1_000;
  expect(stage).toBe('expired');
  expect(seconds).toBeGreaterThanOrEqual(300);
  // Only the inactivity timeout of 300 s ends it; the rest of the bound is for the last activity on a busy machine.
  expect(seconds).toBeLessThan(330);
  expect((await world.begin(silent)).kind).toBe('begun');
});
