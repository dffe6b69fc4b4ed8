/** Tests when the page requests the stream of a turn again. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ApiErrorBody } from '../../../src/contracts/http/errors.ts';
import type { Failure } from '../../../src/web/http/request-failure.ts';
import type { StreamTurnOptions } from '../../../src/web/turn/turn-stream-reader.ts';

/** The module is named at run time, because it compiles only with the types of a browser. */
const module: string = new URL('../../../src/web/turn/stream-turn.ts', import.meta.url).href;
const { streamTurn } = (await import(module)) as {
  streamTurn(options: StreamTurnOptions): Promise<Failure | undefined>;
};

/** Node has no window, whose events tell the page that the machine has a network again. */
const page = new EventTarget();
let reader: AbortController;

beforeEach(() => {
  reader = new AbortController();
  jest.useFakeTimers();
  Object.assign(globalThis, {
    addEventListener: page.addEventListener.bind(page),
    removeEventListener: page.removeEventListener.bind(page),
  });
});
afterEach(() => {
  reader.abort();
  jest.useRealTimers();
  jest.restoreAllMocks();
  Reflect.deleteProperty(globalThis, 'addEventListener');
  Reflect.deleteProperty(globalThis, 'removeEventListener');
});

const busy = (retryAfter?: string): Response => {
  const body: ApiErrorBody = { error: 'Too much is running.', code: 'overloaded', requestId: 'r' };
  const headers = retryAfter === undefined ? {} : { 'Retry-After': retryAfter };
  return Response.json(body, { status: 503, headers });
};

/** Reads a turn at a gateway that refuses with `refusal` until the test says `end`. */
const read = (refusal: () => Response) => {
  let hasEnded = false;
  const ended = (): Response => new Response(null, { status: 204 });
  const requests = jest
    .spyOn(globalThis, 'fetch')
    .mockImplementation(() => Promise.resolve(hasEnded ? ended() : refusal()));
  const outcome = streamTurn({
    turnId: 'turn',
    after: { epoch: 101, seq: 7 },
    signal: reader.signal,
    onEvents: () => undefined,
    onOutput: () => undefined,
    onCut: () => undefined,
  });
  return {
    outcome,
    requests: () => requests.mock.calls.length,
    end: () => {
      hasEnded = true;
    },
  };
};

describe('the stream of a turn that is refused for now', () => {
  it.each(['61', '3600', '99999999999999999999'])(
    'is requested again after a minute, even if the gateway asks for %s s',
    async (retryAfter) => {
      const { outcome, requests, end } = read(() => busy(retryAfter));
      await jest.advanceTimersByTimeAsync(59_999);
      expect(requests()).toBe(1);
      end();
      await jest.advanceTimersByTimeAsync(1);
      expect(await outcome).toBeUndefined();
      expect(requests()).toBe(2);
    },
  );

  it('is requested again when the gateway says', async () => {
    const { requests } = read(() => busy('5'));
    await jest.advanceTimersByTimeAsync(4_999);
    expect(requests()).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(requests()).toBe(2);
  });

  it('is requested less and less often, at least every 8 s, while the gateway does not say when', async () => {
    const { requests } = read(() => busy());
    await jest.advanceTimersByTimeAsync(250 + 500 + 1_000 + 2_000 + 4_000);
    expect(requests()).toBe(6);
    await jest.advanceTimersByTimeAsync(3 * 8_000);
    expect(requests()).toBe(9);
  });

  it('is requested at once when the machine has a network again', async () => {
    const { requests } = read(() => busy('60'));
    await jest.advanceTimersByTimeAsync(10);
    page.dispatchEvent(new Event('online'));
    await jest.advanceTimersByTimeAsync(0);
    expect(requests()).toBe(2);
  });
});
