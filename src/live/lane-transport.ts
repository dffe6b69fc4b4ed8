import { Agent } from 'node:http';
import { LANE_PATH } from '../contracts/wire/live-lane.ts';
import { isLaneAddress, laneAddressRules } from './lane-address.ts';
import { DEFAULT_LANE_LIMITS, type LaneLimits } from './lane-limits.ts';
import { proveLane } from './lane-proof.ts';
import { HttpLanePublisher } from './lane-publisher.ts';
import type { LaneLog, LanePublisher, LaneTarget, LaneTransport } from './lane.ts';

export interface LaneTransportOptions {
  /** Shared by the workers and gateways of an installation; never sent. */
  readonly token: string;
  /** Gateways beyond this machine that may be written to: see `isLaneAddress`. */
  readonly allowedAddresses?: readonly string[];
  readonly log?: LaneLog;
  readonly limits?: Partial<LaneLimits>;
}

/** Addresses that are complained about; whoever starts workflows chooses them. */
const MAX_COMPLAINTS = 100;

/**
 * The live lane over HTTP. Connections are kept alive between publishers, so that one that has a single event to
 * tell costs one exchange. Throws on an allowed address that cannot be read.
 */
export function createLaneTransport(options: LaneTransportOptions): LaneTransport {
  const { token, log, limits } = options;
  const rules = laneAddressRules(options.allowedAddresses ?? []);
  const agent = new Agent({ keepAlive: true });
  const publishers = new Set<HttpLanePublisher>();
  const complain = createComplaints(log);

  return {
    open(target) {
      const url = laneUrl(target);
      if (!url) return complain(target, 'The live lane needs an http:// address; text goes by signals alone');
      if (!isLaneAddress(url, rules)) return complain(target, NOT_ALLOWED);
      const stopped = (): void => void publishers.delete(publisher);
      const authorize = (): string => proveLane(token, target);
      const deps = { url, agent, authorize, log, limits: { ...DEFAULT_LANE_LIMITS, ...limits }, stopped };
      const publisher = new HttpLanePublisher(deps, target);
      publishers.add(publisher);
      return publisher;
    },
    close() {
      for (const publisher of publishers) publisher.stop();
      agent.destroy();
    },
  };
}

const NOT_ALLOWED =
  'The address of the live lane is not in ORION_LIVE_ALLOWED_ADDRESSES; text goes by signals alone';

/** Every activity of a turn meets the same address: told once. */
function createComplaints(log: LaneLog | undefined): (target: LaneTarget, message: string) => LanePublisher {
  const told = new Set<string>();
  return ({ address, turnId }, message) => {
    if (!told.has(address) && told.size < MAX_COMPLAINTS) {
      told.add(address);
      log?.warn({ address, turnId }, message);
    }
    return silentPublisher;
  };
}

function laneUrl({ address, turnId }: LaneTarget): URL | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(`${LANE_PATH}/${encodeURIComponent(turnId)}`, new URL(address).origin);
  return url.protocol === 'http:' ? url : undefined;
}

const silentPublisher: LanePublisher = {
  acknowledged: false,
  publish() {},
  close: () => Promise.resolve(),
};
