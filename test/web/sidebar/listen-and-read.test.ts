import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { listenAndRead } from '../../../src/web/sidebar/listen-and-read.ts';

const TRIES = 8;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/**
 * Listens until the gateway was asked `TRIES` times. Resolves to the seconds between these tries and the number of
 * times that the list was read. `answer` is the gateway's to the try with the given number, 0 for the first.
 */
const listen = async (answer: (attempt: number) => Promise<Response>) => {
  const left = new AbortController();
  const asked: number[] = [];
  jest.spyOn(globalThis, 'fetch').mockImplementation(() => {
    asked.push(performance.now());
    if (asked.length === TRIES) left.abort();
    return answer(asked.length - 1);
  });
  const readList = jest.fn(() => Promise.resolve());
  const listening = listenAndRead(left.signal, readList);
  await jest.runAllTimersAsync();
  await listening;
  return {
    seconds: asked.slice(1).map((at, index) => Math.round((at - (asked[index] ?? 0)) / 1_000)),
    reads: readList.mock.calls.length,
  };
};

const lost = (): Promise<Response> => Promise.reject(new TypeError('Failed to fetch'));
const news = (): Promise<Response> =>
  Promise.resolve(new Response(`data: ${JSON.stringify({ type: 'inputs_changed' })}\n\n`));

describe('a tab that cannot listen', () => {
  it('tries again after 1, 2, 4 … seconds, at most 20, and reads the list each time', async () => {
    expect(await listen(lost)).toEqual({ seconds: [1, 2, 4, 8, 16, 20, 20], reads: TRIES - 1 });
  });

  it('begins with the shortest pause again after it has heard news', async () => {
    const { seconds } = await listen((attempt) => (attempt === 2 ? news() : lost()));
    expect(seconds).toEqual([1, 2, 1, 2, 4, 8, 16]);
  });
});
