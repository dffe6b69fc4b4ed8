import type { Clock } from '../../base/timing/clock.ts';
import { RELAY_PING_MS } from '../../contracts/wire/live-lane.ts';

/** Milliseconds without a byte, not even a ping, after which the other side counts as dead or frozen. */
const MAX_SILENCE_MS = 3 * RELAY_PING_MS;

/** The pings that one side of a relay sends until `stop` is called or the other side is silent. */
export interface RelayPings {
  /** Notes that something has come from the other side. Call it for every chunk. */
  readonly noteReceived: () => void;
  readonly stop: () => void;
}

/**
 * Calls `ping` every `RELAY_PING_MS`. Once nothing was heard for three of these intervals, it calls `onSilence` instead
 * and ends. A timeout of the socket would not do, since it also counts what this side writes.
 */
export const startPings = (
  clock: Pick<Clock, 'now' | 'every'>,
  { ping, onSilence }: { readonly ping: () => void; readonly onSilence: () => void },
): RelayPings => {
  let receivedAt = clock.now();
  const stop = clock.every(RELAY_PING_MS, () => {
    if (clock.now() - receivedAt < MAX_SILENCE_MS) return ping();
    stop();
    onSilence();
  });
  return {
    noteReceived: () => {
      receivedAt = clock.now();
    },
    stop,
  };
};
