import { describe, expect, it } from '@jest/globals';
import type { ApiErrorCode } from '../../../src/contracts/http/errors.ts';
import { insist, type GatewayResult } from '../../../src/web/server/gateway-request.ts';

const refused = (code: ApiErrorCode): GatewayResult<string> => ({
  ok: false,
  failure: { code, message: code, retryAfterMs: 1 },
});

/** Answers in turn, the last one for ever. */
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

describe('a request that the page repeats', () => {
  it('is asked again while nobody behind the gateway takes it', async () => {
    const { seen, request } = gateway(
      refused('temporal_unavailable'),
      refused('database_unavailable'),
      refused('overloaded'),
      DONE,
    );
    expect(await insist(request)).toEqual(DONE);
    expect(seen.asked).toBe(4);
  });

  it('is asked once where the answer is for good', async () => {
    const { seen, request } = gateway(refused('turn_in_progress'), DONE);
    expect(await insist(request)).toEqual(refused('turn_in_progress'));
    expect(seen.asked).toBe(1);
  });

  it('ends with what the gateway said last', async () => {
    const { seen, request } = gateway(refused('temporal_unavailable'));
    expect(await insist(request)).toEqual(refused('temporal_unavailable'));
    expect(seen.asked).toBe(10);
  });
});
