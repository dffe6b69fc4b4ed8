import { systemClock, type Clock } from '../../base/timing/clock.ts';
import type { Log } from '../../base/log.ts';
import type { LaneTransport } from '../lane.ts';
import { DEFAULT_LANE_LIMITS, type LaneLimits } from '../lane-limits.ts';
import { isRedisLane } from '../lane-address.ts';
import { DEFAULT_REDIS_LIMITS, RedisConnection, type RedisLimits } from './redis-connection.ts';
import { RedisPublisher } from './redis-publisher.ts';
import { turnNamesOf } from './turn-names.ts';

export interface RedisTransportOptions {
  /** The address as `redis://` or `rediss://`, with user, password and number of the database where needed. */
  readonly url: string;
  /** `ORION_INTERNAL_TOKEN`, which is never sent. */
  readonly token: string;
  /** The transport for turns of gateways that do not read from Redis. */
  readonly fallback: LaneTransport;
  readonly log?: Pick<Log, 'warn' | 'info'>;
  readonly limits?: Partial<LaneLimits & RedisLimits>;
  readonly clock?: Clock;
}

/** Creates the live lane over Redis or Valkey: one connection for all turns, whose events any gateway can read. */
export const createRedisTransport = (options: RedisTransportOptions): LaneTransport => {
  const { url, token, fallback, log, clock = systemClock } = options;
  const limits = { ...DEFAULT_LANE_LIMITS, ...DEFAULT_REDIS_LIMITS, ...options.limits };
  const unacknowledged = { bytes: 0, maxBytes: limits.maxLinkBytes };
  const publishers = new Set<RedisPublisher>();
  const connection = new RedisConnection({
    url,
    limits,
    clock,
    log,
    onConnected: () => publishers.forEach((publisher) => publisher.connected()),
    onLost: () => publishers.forEach((publisher) => publisher.lost()),
  });
  void connection.open();
  const stopPings = clock.every(limits.pingMs, () => publishers.forEach((publisher) => publisher.ping()));

  return {
    open: (target) => {
      if (!isRedisLane(target.address)) return fallback.open(target);
      const names = turnNamesOf(token, target.turnId);
      const onStopped = (): void => void publishers.delete(publisher);
      const publisher = new RedisPublisher(
        { connection, names, limits, unacknowledged, clock, onStopped },
        target,
      );
      publishers.add(publisher);
      return publisher;
    },
    close: () => {
      stopPings();
      publishers.forEach((publisher) => publisher.end());
      connection.close();
      fallback.close();
    },
  };
};
