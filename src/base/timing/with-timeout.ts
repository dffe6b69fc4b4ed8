/**
 * Settles as `promise` does, or after `ms` milliseconds with what `onTimeout` returns or throws. A response must not
 * wait for a server that never replies. The timer does not keep the process alive.
 */
export const withTimeout = <T>(ms: number, promise: Promise<T>, onTimeout: () => T): Promise<T> => {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms).unref();
  return Promise.race([promise, timeout.then(onTimeout)]).finally(() => clearTimeout(timer));
};
