/** A limit on waiting. `restart` starts the time again; `end` removes the limit. */
interface WaitLimit {
  readonly signal: AbortSignal;
  readonly restart: () => void;
  readonly end: () => void;
}

/**
 * Returns a limit that aborts its `signal` after this time. Requests need one because a gateway or a network may vanish
 * without closing the connection.
 */
export const abortAfter = (milliseconds: number): WaitLimit => {
  const limit = new AbortController();
  const start = (): ReturnType<typeof setTimeout> => setTimeout(() => limit.abort(), milliseconds);
  let timer = start();
  const end = (): void => clearTimeout(timer);
  return {
    signal: limit.signal,
    end,
    restart: () => {
      end();
      timer = start();
    },
  };
};
