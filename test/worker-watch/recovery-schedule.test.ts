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

it('looks once when it begins to lead, for its own predecessor', () => {
  const schedule = new RecoverySchedule();
  expect([schedule.see(look(['a'])), schedule.see(look(['a'])), schedule.see(look(['a', 'b']))]).toEqual([
    true,
    false,
    false,
  ]);
});

it('looks when one is missing at two looks in a row, and once', () => {
  const schedule = new RecoverySchedule();
  schedule.see(look(['a', 'b']));
  expect([schedule.see(look(['a'])), schedule.see(look(['a'])), schedule.see(look(['a']))]).toEqual([
    false,
    true,
    false,
  ]);
});

it('the schedule does not look for one that is back at the next look', () => {
  const schedule = new RecoverySchedule();
  schedule.see(look(['a', 'b']));
  expect([schedule.see(look(['a'])), schedule.see(look(['a', 'b'])), schedule.see(look(['a', 'b']))]).toEqual(
    [false, false, false],
  );
});

it('the schedule looks once for one whose lead it takes over, if that is missing at two looks in a row', () => {
  const schedule = new RecoverySchedule();
  schedule.see(look(['a', 'b'], { isLeader: false }));
  expect([schedule.see(look(['b'])), schedule.see(look(['b'])), schedule.see(look(['b']))]).toEqual([
    false,
    true,
    false,
  ]);
});

it('the schedule leaves it to who leads, and looks when that ends', () => {
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
])('judges nobody while %s, and looks after that', (_when, over, settledMs) => {
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
