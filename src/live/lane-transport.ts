import { Agent } from 'node:http';
import { LANE_PATH } from '../contracts/wire/live-lane.ts';
import { proveLane } from './lane-proof.ts';
import { HttpLanePublisher } from './lane-publisher.ts';
import {
  type LaneLog,
  type LanePublisher,
  type LaneTarget,
  type LaneTransport,
  DEFAULT_LANE_LIMITS,
  type LaneLimits,
  silentPublisher,
} from './lane.ts';
import { isLoopback } from '../base/loopback.ts';
import { parseOrigin, type OriginRule } from '../base/allow-list.ts';

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
export const createLaneTransport = (options: LaneTransportOptions): LaneTransport => {
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
};

const NOT_ALLOWED =
  'The address of the live lane is not in ORION_LIVE_ALLOWED_ADDRESSES; text goes by signals alone';

/** Every activity of a turn meets the same address: told once. */
const createComplaints = (
  log: LaneLog | undefined,
): ((target: LaneTarget, message: string) => LanePublisher) => {
  const told = new Set<string>();
  return ({ address, turnId }, message) => {
    if (!told.has(address) && told.size < MAX_COMPLAINTS) {
      told.add(address);
      log?.warn({ address, turnId }, message);
    }
    return silentPublisher;
  };
};

const laneUrl = ({ address, turnId }: LaneTarget): URL | undefined => {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(`${LANE_PATH}/${encodeURIComponent(turnId)}`, new URL(address).origin);
  return url.protocol === 'http:' ? url : undefined;
};

/**
 * Whether events may be sent to `address`. It stands in a workflow's input, which whoever reaches Temporal can
 * choose: this machine and the addresses of `rules` are taken, nothing else. A rule is `http://host:port`, its port
 * or scheme left out for any; `*.host` stands for every name below `host`.
 */
export const isLaneAddress = (address: URL, rules: readonly OriginRule[]): boolean =>
  isLoopback(address.hostname.replace(/^\[|\]$/g, '')) || rules.some((rule) => matches(rule, address));

const matches = ({ scheme, host, port }: OriginRule, address: URL): boolean =>
  (scheme === undefined || `${scheme}:` === address.protocol) &&
  (port === undefined || port === (address.port || '80')) &&
  (host.startsWith('*.') ? address.hostname.endsWith(host.slice(1)) : address.hostname === host);

/** Reads the entries of ORION_LIVE_ALLOWED_ADDRESSES. Throws on one that cannot be read. */
export const laneAddressRules = (entries: readonly string[]): OriginRule[] =>
  entries.map((entry) => {
    const rule = parseOrigin(entry);
    if (rule) return rule;
    throw new Error(
      `ORION_LIVE_ALLOWED_ADDRESSES: expected http://host:port, received ${JSON.stringify(entry)}`,
    );
  });
