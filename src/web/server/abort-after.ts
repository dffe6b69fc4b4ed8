/** A limit on waiting. `restart` begins the time again; `end` removes the limit. */
interface WaitLimit {
  readonly signal: AbortSignal;
  readonly restart: () => void;
  readonly end: () => void;
}

/** Aborts a request after a time: a gateway or a network may vanish without closing a connection. */
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
