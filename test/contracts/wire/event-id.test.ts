import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  OUTSIDE_EPOCH,
  attemptEpoch,
  compareEventIds,
  formatEventId,
  parseEventId,
  workflowEpoch,
} from '../../../src/contracts/wire/event-id.ts';

const anyId = fc.record({ epoch: fc.nat(999_999_999), seq: fc.nat(999_999_999) });

describe('event ids', () => {
  it('survive formatting and parsing', () => {
    fc.assert(fc.property(anyId, (id) => expect(parseEventId(formatEventId(id))).toEqual(id)));
  });

  it.each(['', '1', '1-', '-1', '1-2-3', '1--2', ' 1-2', '1-2\n', '1.5-2', 'a-b', '1-1234567890', '١-٢'])(
    'are refused when a client sends %j',
    (text) => expect(parseEventId(text)).toBeUndefined(),
  );

  it('order by epoch, then seq, as numbers and not as text', () => {
    const texts = ['0-2', '0-10', '99-1', '101-0', '101-9', '101-10', '199-5', '1001-1'];
    const shuffled = [...texts].reverse().map((text) => parseEventId(text)!);
    expect(shuffled.sort(compareEventIds).map(formatEventId)).toEqual(texts);
  });

  it('let no two writers of a turn share an epoch', () => {
    const epochs = [workflowEpoch(0), OUTSIDE_EPOCH];
    for (let step = 1; step <= 60; step += 1) {
      for (let n = 1; n <= 98; n += 1) epochs.push(attemptEpoch(step, n));
      epochs.push(workflowEpoch(step));
    }
    expect(new Set(epochs).size).toBe(epochs.length);
    expect(Math.max(...epochs)).toBe(OUTSIDE_EPOCH);
  });

  it('put every attempt of a step before the workflow’s own events after it', () => {
    expect(attemptEpoch(2, 1)).toBe(201);
    expect(workflowEpoch(2)).toBe(299);
    expect(workflowEpoch(0)).toBe(0);
    expect(attemptEpoch(1, 98)).toBeLessThan(workflowEpoch(1));
    expect(workflowEpoch(1)).toBeLessThan(attemptEpoch(2, 1));
  });
});
