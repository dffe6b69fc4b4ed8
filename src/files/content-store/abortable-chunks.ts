/**
 * Returns the chunks of `source` up to an abort of the signal, after which reading them rejects with its reason, even
 * while the source is silent. Returns the source itself if there is no signal.
 */
export const chunksUntilAborted = <T>(
  source: AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncIterable<T> => (signal === undefined ? source : readUntilAborted(source, signal));

/** After an abort, the source is asked to end, but not awaited, since it may never answer. */
const readUntilAborted = async function* <T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void> {
  const aborted = Promise.withResolvers<never>();
  // The promise may be rejected while nothing awaits it, which must not count as unhandled.
  aborted.promise.catch(() => undefined);
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await Promise.race([iterator.next(), aborted.promise]);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    iterator.return?.().catch(() => undefined);
  }
};
