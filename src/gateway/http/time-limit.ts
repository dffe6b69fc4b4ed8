/**
 * Settles as `promise` does, or after `ms` with what `onTimeout` returns or throws: an answer must not wait for a
 * server that swallows requests. The timer keeps no process alive.
 */
export const within = <T>(ms: number, promise: Promise<T>, onTimeout: () => T): Promise<T> => {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms).unref();
  return Promise.race([promise, timeout.then(onTimeout)]).finally(() => clearTimeout(timer));
};
