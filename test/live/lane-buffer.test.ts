import { describe, expect, it } from '@jest/globals';
import { LaneBuffer } from '../../src/live/lane-buffer.ts';

const line = (seq: number, bytes = 1) => ({ text: `${seq},`, bytes, lastId: `101-${seq}`, publishedAt: seq });

const bufferWith = (count: number, limits = { maxBytes: 1_000, maxLines: 100 }): LaneBuffer => {
  const buffer = new LaneBuffer(limits, { bytes: 0, maxBytes: 1_000 });
  for (let seq = 1; seq <= count; seq += 1) buffer.push(line(seq));
  return buffer;
};

describe('what a publisher keeps', () => {
  it('is given to a connection once, and to the next one again', () => {
    const buffer = bufferWith(2);
    expect([buffer.takeUnwritten(1_000), buffer.takeUnwritten(1_000)]).toEqual(['1,2,', '']);
    buffer.push(line(3));
    expect(buffer.takeUnwritten(1_000)).toBe('3,');
    buffer.rewind();
    expect(buffer.takeUnwritten(1_000)).toBe('1,2,3,');
  });

  it('goes with the acknowledgement of a later line', () => {
    const buffer = bufferWith(3);
    buffer.takeUnwritten(1_000);
    buffer.acknowledge('101-2');
    expect(buffer.oldestAt).toBe(3);
    buffer.rewind();
    expect(buffer.takeUnwritten(1_000)).toBe('3,');
  });

  it('does not go with the acknowledgement of something this connection was not given', () => {
    const buffer = bufferWith(2);
    buffer.acknowledge('101-2');
    buffer.acknowledge('99-1');
    expect(buffer.takeUnwritten(1_000)).toBe('1,2,');
  });

  it.each([
    ['lines', { maxBytes: 1_000, maxLines: 3 }],
    ['bytes', { maxBytes: 3, maxLines: 100 }],
  ])('loses its oldest over the limit of %s, written or not', (_, limits) => {
    const unwritten = bufferWith(5, limits);
    expect(unwritten.takeUnwritten(1_000)).toBe('3,4,5,');
    unwritten.push(line(6));
    expect(unwritten.takeUnwritten(1_000)).toBe('6,');
    unwritten.rewind();
    expect(unwritten.takeUnwritten(1_000)).toBe('4,5,6,');
  });

  it('holds a line larger than the limit as the only one', () => {
    const buffer = bufferWith(2, { maxBytes: 3, maxLines: 100 });
    buffer.push(line(3, 50));
    expect(buffer.takeUnwritten(1_000)).toBe('3,');
  });

  it('is given in parts of a limited size, and a longer line by itself', () => {
    const buffer = bufferWith(3);
    buffer.push(line(4, 50));
    buffer.push(line(5));
    expect([buffer.takeUnwritten(2), buffer.takeUnwritten(1), buffer.takeUnwritten(1)]).toEqual([
      '1,2,',
      '3,',
      '4,',
    ]);
    expect(buffer.hasUnwritten).toBe(true);
    expect([buffer.takeUnwritten(9), buffer.hasUnwritten]).toEqual(['5,', false]);
  });

  it('counts together with the others of its gateway: a publisher that adds to a full buffer loses its own', () => {
    const held = { bytes: 0, maxBytes: 5 };
    const [one, other] = [1, 2].map(() => new LaneBuffer({ maxBytes: 1_000, maxLines: 100 }, held));
    for (const seq of [1, 2, 3]) one?.push(line(seq));
    for (const seq of [1, 2, 3, 4]) other?.push(line(seq));
    expect([one?.takeUnwritten(99), other?.takeUnwritten(99), held.bytes]).toEqual(['1,2,3,', '3,4,', 5]);
    other?.push(line(5, 9));
    expect([other?.takeUnwritten(99), held.bytes]).toEqual(['', 3]);
    one?.acknowledge('101-2');
    expect(held.bytes).toBe(1);
    one?.clear();
    expect(held.bytes).toBe(0);
  });
});
