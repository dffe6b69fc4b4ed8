/**
 * Covers when the leading worker looks for lost ones: as soon as it can be sure, and never because everybody was cut
 * off at once.
 */
import { expect, it } from '@jest/globals';
import { SETTLE_MS, RecoverySchedule } from '../../src/worker-watch/recovery-schedule.ts';

const look = (living: readonly string[], over: { isLeader?: boolean; serverUpMs?: number } = {}) => ({
  isLeader: true,
  serverUpMs: 1e9,
  living: new Set(living),
  ...over,
});

it('the schedule looks once when it begins to lead, for its own predecessor', () => {
  const schedule = new RecoverySchedule();
  expect([schedule.see(look(['a'])), schedule.see(look(['a'])), schedule.see(look(['a', 'b']))]).toEqual([
    true,
    false,
    false,
  ]);
});

it('the schedule looks once when a worker is missing at two checks in a row', () => {
  const schedule = new RecoverySchedule();
  schedule.see(look(['a', 'b']));
  expect([schedule.see(look(['a'])), schedule.see(look(['a'])), schedule.see(look(['a']))]).toEqual([
    false,
    true,
    false,
  ]);
});

it('the schedule does not look for a worker that is back at the next check', () => {
  const schedule = new RecoverySchedule();
  schedule.see(look(['a', 'b']));
  expect([schedule.see(look(['a'])), schedule.see(look(['a', 'b'])), schedule.see(look(['a', 'b']))]).toEqual(
    [false, false, false],
  );
});

it('the schedule looks once for the leader that it replaces, if that is missing at two checks in a row', () => {
  const schedule = new RecoverySchedule();
  schedule.see(look(['a', 'b'], { isLeader: false }));
  expect([schedule.see(look(['b'])), schedule.see(look(['b'])), schedule.see(look(['b']))]).toEqual([
    false,
    true,
    false,
  ]);
});

it('the schedule leaves the look to another leader, and looks when that ends', () => {
  const schedule = new RecoverySchedule();
  const other = { isLeader: false };
  schedule.see(look(['a', 'b'], other));
  expect([
    schedule.see(look(['a'], other)),
    schedule.see(look(['a'], other)),
    schedule.see(look(['a'])),
    schedule.see(look(['a'])),
    schedule.see(look(['a'])),
  ]).toEqual([false, false, false, true, false]);
});

it.each([
  ['the server has just started', { serverUpMs: SETTLE_MS - 1 }, undefined],
  ['its own session was cut', {}, SETTLE_MS - 1],
])('the schedule judges nobody while %s, and looks after that', (_when, over, settledMs) => {
  const schedule = new RecoverySchedule();
  schedule.see(look(['a', 'b']));
  expect([
    schedule.see(look(['a'], over), settledMs),
    schedule.see(look(['a'], over), settledMs),
    schedule.see(look(['a', 'b'])),
    schedule.see(look(['a', 'b'])),
    schedule.see(look(['a', 'b'])),
  ]).toEqual([false, false, false, true, false]);
});
