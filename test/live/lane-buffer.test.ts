import { describe, expect, it } from '@jest/globals';
import { LaneBuffer } from '../../src/live/lane-publisher.ts';

const line = (seq: number, bytes = 1) => ({ text: `${seq},`, bytes, lastId: `101-${seq}`, publishedAt: seq });

function bufferWith(count: number, limits = { maxBytes: 1_000, maxLines: 100 }): LaneBuffer {
  const buffer = new LaneBuffer(limits);
  for (let seq = 1; seq <= count; seq += 1) buffer.push(line(seq));
  return buffer;
}

describe('what a publisher keeps', () => {
  it('is given to a connection once, and to the next one again', () => {
    const buffer = bufferWith(2);
    expect([buffer.takeUnwritten(), buffer.takeUnwritten()]).toEqual(['1,2,', '']);
    buffer.push(line(3));
    expect(buffer.takeUnwritten()).toBe('3,');
    buffer.rewind();
    expect(buffer.takeUnwritten()).toBe('1,2,3,');
  });

  it('goes with the acknowledgement of a later line', () => {
    const buffer = bufferWith(3);
    buffer.takeUnwritten();
    buffer.acknowledge('101-2');
    expect(buffer.oldestAt).toBe(3);
    buffer.rewind();
    expect(buffer.takeUnwritten()).toBe('3,');
  });

  it('does not go with the acknowledgement of something this connection was not given', () => {
    const buffer = bufferWith(2);
    buffer.acknowledge('101-2');
    buffer.acknowledge('99-1');
    expect(buffer.takeUnwritten()).toBe('1,2,');
  });

  it.each([
    ['lines', { maxBytes: 1_000, maxLines: 3 }],
    ['bytes', { maxBytes: 3, maxLines: 100 }],
  ])('loses its oldest over the limit of %s, written or not', (_, limits) => {
    const unwritten = bufferWith(5, limits);
    expect(unwritten.takeUnwritten()).toBe('3,4,5,');
    unwritten.push(line(6));
    expect(unwritten.takeUnwritten()).toBe('6,');
    unwritten.rewind();
    expect(unwritten.takeUnwritten()).toBe('4,5,6,');
  });

  it('holds a line larger than the limit as the only one', () => {
    const buffer = bufferWith(2, { maxBytes: 3, maxLines: 100 });
    buffer.push(line(3, 50));
    expect(buffer.takeUnwritten()).toBe('3,');
  });
});
