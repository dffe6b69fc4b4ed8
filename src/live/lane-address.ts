import { createHmac, timingSafeEqual } from 'node:crypto';
import { parseOrigin, type OriginParts } from '../base/hosts/host-rules.ts';
import { isLoopbackUrl } from '../base/hosts/loopback.ts';
import { LANE_PATH } from '../contracts/wire/live-lane.ts';

const SIGNATURE = 'gateway';

const LANE = 'lane';
const REDIS = 'redis';

/**
 * Returns a lane address with the mark that its gateway reads turns from Redis, too. Workers with a Redis then write to
 * Redis, others to the address. Throws TypeError for an address that is no URL.
 */
export const markRedisLane = (address: string): string => {
  const url = new URL(address);
  url.searchParams.set(LANE, REDIS);
  return url.href;
};

/** Reports whether an address has the mark of `markRedisLane`. Returns false for an address that is no URL. */
export const isRedisLane = (address: string): boolean =>
  URL.canParse(address) && new URL(address).searchParams.get(LANE) === REDIS;

/**
 * Returns the base URL of a gateway as it is stored in workflows. Anybody who reaches Temporal could put another
 * address there. An address beyond this machine therefore carries an HMAC-SHA-256, by which a worker with the same
 * token knows that a gateway of its installation wrote it. Throws TypeError for an address that is no URL.
 */
export const signLaneAddress = (token: string, address: string): string => {
  const url = new URL(address);
  if (isLoopbackUrl(url)) return address;
  return `${url.origin}/?${SIGNATURE}=${signatureOf(token, url).toString('base64url')}`;
};

const signatureOf = (token: string, { origin }: URL): Buffer =>
  createHmac('sha256', token)
    .update(JSON.stringify(['orion-lane-address-1', origin]))
    .digest();

/** Reports whether a gateway with this token wrote the address. */
export const isSignedLaneAddress = (token: string, address: URL): boolean => {
  const signature = Buffer.from(address.searchParams.get(SIGNATURE) ?? '', 'base64url');
  const expected = signatureOf(token, address);
  return signature.length === expected.length && timingSafeEqual(signature, expected);
};

/**
 * Returns the URL to which the lane of the gateway at `address` is written. Returns undefined if `address` is not an
 * http:// URL.
 */
export const laneUrlOf = (address: string): URL | undefined => {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(LANE_PATH, new URL(address).origin);
  return url.protocol === 'http:' ? url : undefined;
};

/**
 * Reports whether events may be sent to `address`, which anybody who reaches Temporal can write into a workflow's
 * input. Only this machine and the addresses of `rules` are accepted. A rule is `http://host:port`, where a missing
 * port or scheme means any. `*.host` means every name below `host`.
 */
export const isLaneAddress = (address: URL, rules: readonly OriginParts[]): boolean =>
  isLoopbackUrl(address) || rules.some((rule) => matches(rule, address));

const matches = ({ scheme, host, port }: OriginParts, address: URL): boolean =>
  (scheme === undefined || `${scheme}:` === address.protocol) &&
  (port === undefined || port === (address.port || '80')) &&
  (host.startsWith('*.') ? address.hostname.endsWith(host.slice(1)) : address.hostname === host);

/** Reads the entries of ORION_LIVE_ALLOWED_ADDRESSES. Throws Error on an entry that cannot be read. */
export const laneAddressRules = (entries: readonly string[]): OriginParts[] =>
  entries.map((entry) => {
    const rule = parseOrigin(entry);
    if (rule) return rule;
    throw new Error(
      `ORION_LIVE_ALLOWED_ADDRESSES: expected http://host:port, received ${JSON.stringify(entry)}`,
    );
  });
