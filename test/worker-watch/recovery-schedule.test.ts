/**
 * Covers when the leading worker looks for lost ones: as soon as it can be sure, and never because everybody was cut
 * off at once.
 */
import { expect, it } from '@jest/globals';
import { RECONNECT_GRACE_MS, RecoverySchedule } from '../../src/worker-watch/recovery-schedule.ts';

const look = (living: readonly string[], over: { isLeader?: boolean; serverUpMs?: number } = {}) => ({
  isLeader: true,
  serverUpMs: 1e9,
  livingKeys: new Set(living),
  ...over,
});

it('the schedule looks once when it begins to lead, for its own predecessor', () => {
  const schedule = new RecoverySchedule();
  expect([
    schedule.update(look(['a'])),
    schedule.update(look(['a'])),
    schedule.update(look(['a', 'b'])),
  ]).toEqual([true, false, false]);
});

it('the schedule looks once when a worker is missing at two checks in a row', () => {
  const schedule = new RecoverySchedule();
  schedule.update(look(['a', 'b']));
  expect([schedule.update(look(['a'])), schedule.update(look(['a'])), schedule.update(look(['a']))]).toEqual([
    false,
    true,
    false,
  ]);
});

it('the schedule does not look for a worker that is back at the next check', () => {
  const schedule = new RecoverySchedule();
  schedule.update(look(['a', 'b']));
  expect([
    schedule.update(look(['a'])),
    schedule.update(look(['a', 'b'])),
    schedule.update(look(['a', 'b'])),
  ]).toEqual([false, false, false]);
});

it('the schedule looks once for the leader that it replaces, if that is missing at two checks in a row', () => {
  const schedule = new RecoverySchedule();
  schedule.update(look(['a', 'b'], { isLeader: false }));
  expect([schedule.update(look(['b'])), schedule.update(look(['b'])), schedule.update(look(['b']))]).toEqual([
    false,
    true,
    false,
  ]);
});

it('the schedule leaves the look to another leader, and looks when that ends', () => {
  const schedule = new RecoverySchedule();
  const other = { isLeader: false };
  schedule.update(look(['a', 'b'], other));
  expect([
    schedule.update(look(['a'], other)),
    schedule.update(look(['a'], other)),
    schedule.update(look(['a'])),
    schedule.update(look(['a'])),
    schedule.update(look(['a'])),
  ]).toEqual([false, false, false, true, false]);
});

it.each([
  ['the server has just started', { serverUpMs: RECONNECT_GRACE_MS - 1 }, undefined],
  ['its own session was cut', {}, RECONNECT_GRACE_MS - 1],
])('the schedule judges nobody while %s, and looks after that', (_when, over, settledMs) => {
  const schedule = new RecoverySchedule();
  schedule.update(look(['a', 'b']));
  expect([
    schedule.update(look(['a'], over), settledMs),
    schedule.update(look(['a'], over), settledMs),
    schedule.update(look(['a', 'b'])),
    schedule.update(look(['a', 'b'])),
    schedule.update(look(['a', 'b'])),
  ]).toEqual([false, false, false, true, false]);
});
