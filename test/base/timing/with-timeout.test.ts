import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { withTimeout } from '../../../src/base/timing/with-timeout.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const never = new Promise<string>(() => undefined);

it('settles as the promise does when that is in time', async () => {
  await expect(withTimeout(10_000, Promise.resolve('answer'), () => 'too late')).resolves.toBe('answer');
  const failed = Promise.reject(new Error('refused'));
  await expect(withTimeout(10_000, failed, () => 'too late')).rejects.toThrow('refused');
});

it('returns or throws what the timeout gives when the promise is late', async () => {
  const late = withTimeout(10, never, () => 'too late');
  const thrown = withTimeout(10, never, () => {
    throw new Error('too late');
  });
  jest.advanceTimersByTime(9);
  expect(jest.getTimerCount()).toBe(2);
  jest.advanceTimersByTime(1);
  await expect(late).resolves.toBe('too late');
  await expect(thrown).rejects.toThrow('too late');
});

it('stops its timer once the promise has settled', async () => {
  const onTimeout = jest.fn(() => 'too late');
  await withTimeout(10, Promise.resolve('answer'), onTimeout);
  expect(jest.getTimerCount()).toBe(0);
  jest.advanceTimersByTime(10);
  expect(onTimeout).not.toHaveBeenCalled();
});

it('keeps no process alive while it waits', () => {
  jest.useRealTimers();
  // The list has only those timers that keep this process alive.
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  void withTimeout(1_000, never, () => 'too late');
  expect(timers()).toBe(before);
});
