import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SessionPulse } from '../../../activities/write-session/session-pulse.ts';
import { modelInput } from '../support/activity-inputs.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const pulseOf = (fields: Partial<ReturnType<typeof modelInput>>) => {
  const touched: string[] = [];
  const touch = (sessionId: string) => Promise.resolve(touched.push(sessionId) > 0);
  const deps = { writeSessions: { touch }, sessionInactivityMs: 300_000 };
  return { touched, pulse: new SessionPulse(deps, { ...modelInput(), ...fields }) };
};
const writing = { options: { ...modelInput().options, writeSession: { sessionId: 's1' } } };

describe('the pulse of a write session', () => {
  it('beats with the text, at most every tenth of the timeout', () => {
    const { pulse, touched } = pulseOf(writing);
    for (let second = 0; second < 65; second += 1) {
      pulse.beat();
      jest.advanceTimersByTime(1_000);
    }
    expect(touched).toEqual(['s1', 's1']);
  });

  it('knows the timeout of its turn', () => {
    const { pulse, touched } = pulseOf({ ...writing, sessionInactivityMs: 6_000 });
    jest.advanceTimersByTime(600);
    pulse.beat();
    expect(touched).toEqual(['s1']);
  });

  it('is still for any other call', () => {
    const { pulse, touched } = pulseOf({});
    jest.advanceTimersByTime(300_000);
    pulse.beat();
    expect(touched).toEqual([]);
  });
});
