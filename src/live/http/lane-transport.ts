import type { Log } from '../../base/log.ts';
import { systemClock, type Clock } from '../../base/timing/clock.ts';
import { LaneLink } from './lane-link.ts';
import { proveLane } from './lane-proof.ts';
import { HttpLanePublisher } from './lane-publisher.ts';
import { type LanePublisher, type LaneTarget, type LaneTransport, noopPublisher } from '../lane.ts';
import { DEFAULT_LANE_LIMITS, type LaneLimits } from '../lane-limits.ts';
import { isLaneAddress, isSignedLaneAddress, laneAddressRules, laneUrlOf } from '../lane-address.ts';

export interface LaneTransportOptions {
  /** `ORION_INTERNAL_TOKEN`, which is never sent. */
  readonly token: string;
  /** Gateways beyond this machine that may be written to without a signed address; see `isLaneAddress`. */
  readonly allowedAddresses?: readonly string[];
  readonly log?: Pick<Log, 'warn'>;
  readonly limits?: Partial<LaneLimits>;
  readonly clock?: Clock;
}

/**
 * The most addresses for which a warning is logged. Anybody who starts a workflow chooses its address, so there may be
 * any number of them.
 */
const MAX_WARNED_ADDRESSES = 100;

/**
 * Creates the live lane over HTTP: one connection to each gateway whose address is in a turn, shared by all turns with
 * that address. Throws Error if an allowed address cannot be read.
 */
export const createLaneTransport = (options: LaneTransportOptions): LaneTransport => {
  const { token, log, clock = systemClock } = options;
  const limits = { ...DEFAULT_LANE_LIMITS, ...options.limits };
  const rules = laneAddressRules(options.allowedAddresses ?? []);
  const links = new Map<string, LaneLink>();
  const refuse = createRefusals(log);
  const linkTo = (url: URL): LaneLink => {
    const { href, origin: address } = url;
    const known = links.get(href);
    if (known) return known;
    const authorize = (): string => proveLane(token, { address, turnId: null, epoch: 0 });
    const link = new LaneLink({ url, authorize, limits, clock, log, onStopped: () => links.delete(href) });
    links.set(href, link);
    return link;
  };

  return {
    open(target) {
      const url = laneUrlOf(target.address);
      if (!url) return refuse(target, 'the live lane needs an http:// address; text goes only by signals');
      const isAllowed = isLaneAddress(url, rules) || isSignedLaneAddress(token, new URL(target.address));
      if (!isAllowed) return refuse(target, NOT_ALLOWED);
      const link = linkTo(url);
      return new HttpLanePublisher(
        { link, prove: () => proveLane(token, target), limits, clock, log },
        target,
      );
    },
    close: () => links.forEach((link) => link.stop()),
  };
};

const NOT_ALLOWED =
  'no gateway with this ORION_INTERNAL_TOKEN wrote the address of the live lane, and ORION_LIVE_ALLOWED_ADDRESSES does not have it; text goes only by signals';

/**
 * Returns a function that gives a target no lane. It logs each address only once, because every activity of a turn has
 * the same address.
 */
const createRefusals = (
  log: Pick<Log, 'warn'> | undefined,
): ((target: LaneTarget, message: string) => LanePublisher) => {
  const warnedAddresses = new Set<string>();
  return ({ address, turnId }, message) => {
    if (!warnedAddresses.has(address) && warnedAddresses.size < MAX_WARNED_ADDRESSES) {
      warnedAddresses.add(address);
      log?.warn({ address, turnId }, message);
    }
    return noopPublisher;
  };
};
