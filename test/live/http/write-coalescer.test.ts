/** Checks when pieces leave, in ticks of the real event loop, whose callbacks run one after another. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { WriteCoalescer } from '../../../src/live/http/write-coalescer.ts';

let pieces: string[] = [];
let written: string[] = [];
let writes: WriteCoalescer;
beforeEach(() => {
  pieces = [];
  written = [];
  writes = new WriteCoalescer(() => {
    if (pieces.length > 0) written.push(pieces.splice(0).join(' '));
  });
});

const say = (piece: string): void => {
  pieces.push(piece);
  writes.request();
};
/** Runs callbacks in one tick of the event loop, and resolves to what was written before the last of them ended. */
const inOneTick = (...callbacks: (() => void)[]): Promise<string[]> =>
  new Promise((resolve) => {
    for (const callback of callbacks) setImmediate(callback);
    setImmediate(() => resolve([...written]));
  });
const nextTick = (): Promise<string[]> => inOneTick();

describe('a quiet loop', () => {
  it('writes at once, before anything else of its tick', async () => {
    let seen: string[] = [];
    await inOneTick(
      () => say('one'),
      () => (seen = [...written]),
    );
    expect(seen).toEqual(['one']);
  });

  it('writes together what one callback has written', async () => {
    expect(
      await inOneTick(() => {
        say('one');
        say('two');
      }),
    ).toEqual(['one two']);
    expect(await nextTick()).toEqual(['one two']);
  });

  it('does so tick after tick', async () => {
    for (const piece of ['one', 'two', 'three']) {
      expect((await inOneTick(() => say(piece))).at(-1)).toBe(piece);
      await nextTick();
    }
    expect(written).toEqual(['one', 'two', 'three']);
  });
});

describe('a busy loop', () => {
  const twice = (one: string, other: string): Promise<string[]> =>
    inOneTick(
      () => say(one),
      () => say(other),
    );

  it('writes the rest of a tick at its end, and from the next tick on all of it', async () => {
    expect(await twice('one', 'two')).toEqual(['one']);
    expect(await nextTick()).toEqual(['one', 'two']);
    expect(await twice('three', 'four')).toEqual(['one', 'two']);
    expect(await nextTick()).toEqual(['one', 'two', 'three four']);
  });

  it('writes at once again after it has become quiet, and loses nothing', async () => {
    await twice('one', 'two');
    await nextTick();
    await twice('three', 'four');
    await nextTick();
    expect(await inOneTick(() => say('five'))).not.toContain('five');
    expect(await nextTick()).toContain('five');
    expect(await inOneTick(() => say('six'))).toContain('six');
    expect(written.join(' ')).toBe('one two three four five six');
  });
});
