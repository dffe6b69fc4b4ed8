/** A limit on waiting. `putOff`: it begins again; `end`: nothing is waited for any more. */
interface WaitLimit {
  readonly signal: AbortSignal;
  readonly putOff: () => void;
  readonly end: () => void;
}

/** Aborts a request after so many milliseconds: a gateway may vanish, or a network, without closing a connection. */
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
