/** A limit on waiting. `putOff`: the time begins again; `end`: there is no limit any longer. */
interface WaitLimit {
  readonly signal: AbortSignal;
  readonly putOff: () => void;
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
    putOff: () => {
      end();
      timer = start();
    },
  };
};
