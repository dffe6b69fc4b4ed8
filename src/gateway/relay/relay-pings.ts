import type { Clock } from '../../base/pace/clock.ts';
import { RELAY_PING_MS } from '../../contracts/wire/live-lane.ts';

/** Silence, pings included, after which the other side is dead or frozen. */
const MAX_SILENCE_MS = 3 * RELAY_PING_MS;

/** The pings of one side of a relay, until `stop`. */
export interface RelayPings {
  /** The other side has said something. */
  readonly heard: () => void;
  readonly stop: () => void;
}

/**
 * Calls `ping` every `RELAY_PING_MS`, and `silent` instead once nothing was heard for three of them. A timeout of the
 * socket would not do: what this side writes puts it off as well.
 */
export const startPings = (
  clock: Pick<Clock, 'now' | 'every'>,
  { ping, silent }: { readonly ping: () => void; readonly silent: () => void },
): RelayPings => {
  let heardAt = clock.now();
  const stop = clock.every(RELAY_PING_MS, () => {
    if (clock.now() - heardAt < MAX_SILENCE_MS) return ping();
    stop();
    silent();
  });
  return {
    heard: () => {
      heardAt = clock.now();
    },
    stop,
  };
};
