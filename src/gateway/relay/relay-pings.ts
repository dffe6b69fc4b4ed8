import type { Clock } from '../../base/timing/clock.ts';
import { RELAY_PING_MS } from '../../contracts/wire/live-lane.ts';

/** Milliseconds of silence, pings included, after which the other side is dead or frozen. */
const MAX_SILENCE_MS = 3 * RELAY_PING_MS;

/** The pings of one side of a relay, until `stop`. */
export interface RelayPings {
  /** Notes that the other side has said something. */
  readonly heard: () => void;
  readonly stop: () => void;
}

/**
 * Calls `ping` every `RELAY_PING_MS`, and `silent` instead once nothing was heard for three of these intervals. A
 * timeout of the socket would not do: writes of this side put it off as well.
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
