import { createHmac, timingSafeEqual } from 'node:crypto';
import { isLoopback } from '../base/loopback.ts';

/** Whether an address is of this machine, which everybody on it may be sent to. */
export const isOfThisMachine = (address: URL): boolean =>
  isLoopback(address.hostname.replace(/^\[|\]$/g, ''));

const SIGNATURE = 'gateway';

const LANE = 'lane';
const REDIS = 'redis';

/**
 * A lane address with the word that this gateway reads turns from Redis, too: workers that know it write there, others
 * to the address.
 */
export const markRedisLane = (address: string): string => {
  const url = new URL(address);
  url.searchParams.set(LANE, REDIS);
  return url.href;
};

/** Whether the gateway with this address reads turns from Redis; false for what is no URL. */
export const isRedisLane = (address: string): boolean =>
  URL.canParse(address) && new URL(address).searchParams.get(LANE) === REDIS;

const signatureOf = (token: string, { origin }: URL): Buffer =>
  createHmac('sha256', token)
    .update(JSON.stringify(['orion-lane-address-1', origin]))
    .digest();

/**
 * The base URL of a gateway as it goes into workflows, where whoever reaches Temporal could put another: beyond this
 * machine it carries an HMAC-SHA-256, by which a worker that has the same token knows that a gateway of its
 * installation wrote it. Throws TypeError on an address that is no URL.
 */
export const signLaneAddress = (token: string, address: string): string => {
  const url = new URL(address);
  if (isOfThisMachine(url)) return address;
  return `${url.origin}/?${SIGNATURE}=${signatureOf(token, url).toString('base64url')}`;
};

/** Whether a gateway with this token wrote the address. */
export const isSignedLaneAddress = (token: string, address: URL): boolean => {
  const given = Buffer.from(address.searchParams.get(SIGNATURE) ?? '', 'base64url');
  const expected = signatureOf(token, address);
  return given.length === expected.length && timingSafeEqual(given, expected);
};
