import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SessionKeepAlive } from '../../../activities/write-session/session-keep-alive.ts';
import { modelInput } from '../support/activity-inputs.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const keepAliveOf = (fields: Partial<ReturnType<typeof modelInput>>) => {
  const touched: string[] = [];
  const touch = (sessionId: string) => Promise.resolve(touched.push(sessionId) > 0);
  const deps = { writeSessions: { touch }, sessionInactivityMs: 300_000 };
  return { touched, keepAlive: new SessionKeepAlive(deps, { ...modelInput(), ...fields }) };
};
const writing = { options: { ...modelInput().options, writeSession: { sessionId: 's1' } } };

describe('the keep-alive of a write session', () => {
  it('touches it as text comes, at most every tenth of the timeout', () => {
    const { keepAlive, touched } = keepAliveOf(writing);
    for (let second = 0; second < 65; second += 1) {
      keepAlive.touch();
      jest.advanceTimersByTime(1_000);
    }
    expect(touched).toEqual(['s1', 's1']);
  });

  it('knows the timeout of its turn', () => {
    const { keepAlive, touched } = keepAliveOf({ ...writing, sessionInactivityMs: 6_000 });
    jest.advanceTimersByTime(600);
    keepAlive.touch();
    expect(touched).toEqual(['s1']);
  });

  it('does nothing for any other call', () => {
    const { keepAlive, touched } = keepAliveOf({});
    jest.advanceTimersByTime(300_000);
    keepAlive.touch();
    expect(touched).toEqual([]);
  });
});
