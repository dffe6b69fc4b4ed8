import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { z } from 'zod';
import {
  retryWhileUnavailable,
  sendRequest,
  type GatewayResult,
} from '../../../src/web/http/gateway-request.ts';
import { type Failure, readFailure } from '../../../src/web/http/request-failure.ts';

const refused = (code: Failure['code'], retryAfterMs = 1_000): GatewayResult<string> => ({
  ok: false,
  failure: { code, message: code, retryAfterMs },
});

/** Returns a gateway that gives these answers in turn, and the last one for ever. */
const gateway = (...answers: readonly GatewayResult<string>[]) => {
  const seen = { asked: 0 };
  const request = () => {
    const answer = answers[Math.min(seen.asked, answers.length - 1)];
    seen.asked += 1;
    return answer ? Promise.resolve(answer) : Promise.reject(new Error('expected an answer'));
  };
  return { seen, request };
};

const DONE: GatewayResult<string> = { ok: true, value: 'done' };

beforeEach(() => void jest.useFakeTimers());
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** Resolves to the outcome of a request that may take as long as it needs. */
const outcomeOf = async (request: () => Promise<GatewayResult<string>>): Promise<GatewayResult<string>> => {
  const outcome = retryWhileUnavailable(request);
  await jest.runAllTimersAsync();
  return outcome;
};

describe('a request that the page repeats', () => {
  it('is sent again while the gateway is away, or nothing behind it accepts it', async () => {
    const { seen, request } = gateway(
      refused('temporal_unavailable'),
      refused('database_unavailable'),
      refused('overloaded'),
      refused('unreachable'),
      DONE,
    );
    expect(await outcomeOf(request)).toEqual(DONE);
    expect(seen.asked).toBe(5);
  });

  it('is sent once when the answer is final', async () => {
    const { seen, request } = gateway(refused('turn_in_progress'), DONE);
    expect(await outcomeOf(request)).toEqual(refused('turn_in_progress'));
    expect(seen.asked).toBe(1);
  });

  it.each([1_000, 5_000])(
    'ends after half a minute with the last answer, sent every %d ms',
    async (pause) => {
      const { seen, request } = gateway(refused('unreachable', pause));
      expect(await outcomeOf(request)).toEqual(refused('unreachable', pause));
      expect(seen.asked).toBe(1 + 30_000 / pause);
    },
  );

  it('ends after half a minute although the gateway asks for a longer pause', async () => {
    const { seen, request } = gateway(refused('unreachable', 60_000), DONE);
    const start = performance.now();
    expect(await outcomeOf(request)).toEqual(DONE);
    expect(performance.now() - start).toBe(30_000);
    expect(seen.asked).toBe(2);
  });

  it('is not sent without a pause, even if the gateway asks for none', async () => {
    const { seen, request } = gateway(refused('unreachable', 0));
    await outcomeOf(request);
    expect(seen.asked).toBe(301);
  });

  it('is not sent again when one answer took longer than that', async () => {
    const { seen, request } = gateway(refused('unreachable'));
    const slow = async (): Promise<GatewayResult<string>> => {
      await new Promise((resolve) => setTimeout(resolve, 60_000));
      return request();
    };
    expect(await outcomeOf(slow)).toEqual(refused('unreachable'));
    expect(seen.asked).toBe(1);
  });
});

describe('the time after which a response may be asked for again', () => {
  const responseAfter = (retryAfter: string): Response =>
    new Response('busy', { status: 503, headers: { 'Retry-After': retryAfter } });

  it.each([
    ['2', 2_000],
    ['3600000', 60_000],
    ['99999999999999999999', 60_000],
    ['-1', 0],
  ])('is bounded: Retry-After %s gives %d ms', async (retryAfter, expected) => {
    expect(await readFailure(responseAfter(retryAfter))).toMatchObject({ retryAfterMs: expected });
  });

  it.each(['Infinity', 'Wed, 21 Oct 2026 07:28:00 GMT'])('is unknown: Retry-After %s', async (retryAfter) => {
    expect(await readFailure(responseAfter(retryAfter))).not.toHaveProperty('retryAfterMs');
  });
});

describe('an error in a form that is not the gateway’s', () => {
  const page = '<html>Something went wrong.</html>';

  /** Resolves to the outcome of a request that is always answered in this way, and how often it was sent. */
  const askedOf = async (respond: () => Response) => {
    const fetched = jest.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(respond()));
    const outcome = await outcomeOf(() => sendRequest(z.string(), 'GET', '/api/turns'));
    return { outcome, sent: fetched.mock.calls.length };
  };

  it.each([502, 503, 504])(
    'is asked for again with status %d, as a proxy answers for a gateway that is away',
    async (status) => {
      const { outcome, sent } = await askedOf(() => new Response(page, { status }));
      expect(outcome).toMatchObject({ failure: { code: 'unreachable' } });
      expect(sent).toBe(31);
    },
  );

  it.each([400, 403, 404, 500])('is final with status %d', async (status) => {
    const { outcome, sent } = await askedOf(() => new Response(page, { status }));
    expect(outcome).toMatchObject({
      failure: { code: 'unreadable', message: expect.stringContaining(`status ${status}`) },
    });
    expect(sent).toBe(1);
  });

  it('counts as none if the connection is lost before its end', async () => {
    const cut = () =>
      new ReadableStream({ start: (controller) => controller.error(new TypeError('terminated')) });
    const { outcome } = await askedOf(() => new Response(cut(), { status: 404 }));
    expect(outcome).toMatchObject({ failure: { code: 'unreachable' } });
  });
});

describe('a response that reports success', () => {
  const ask = (schema: z.ZodType = z.object({})) => sendRequest(schema, 'GET', '/api/turns');
  const bodies = ['<html>Sign in to the network</html>', '{"turns":', ''];

  it.each(bodies)('is unreadable if it is no JSON, and is not asked for again: %j', async (body) => {
    const fetched = jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(body));
    const outcome = retryWhileUnavailable(() => ask());
    await jest.runAllTimersAsync();
    expect(await outcome).toMatchObject({ ok: false, failure: { code: 'unreadable' } });
    expect(fetched).toHaveBeenCalledTimes(1);
  });

  it('is unreadable if it is no JSON where no body is expected', async () => {
    jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('<html></html>'));
    expect(await ask(z.undefined())).toMatchObject({ ok: false, failure: { code: 'unreadable' } });
  });

  it('counts as none if the connection is lost before its end', async () => {
    const cut = new ReadableStream({ start: (controller) => controller.error(new TypeError('terminated')) });
    jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(cut));
    expect(await ask()).toMatchObject({ ok: false, failure: { code: 'unreachable' } });
  });
});
