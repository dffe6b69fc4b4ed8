import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ApiKey } from '../../access/api-keys.ts';
import type { Keyring } from '../../access/key-file.ts';
import { parseHost } from '../../base/hosts/host-rules.ts';
import { DAY_MS } from '../../contracts/values/units.ts';

/** The seconds for which a browser that was left open stays signed in: one day. */
export const SIGN_IN_SECONDS = DAY_MS / 1_000;

/** The cookies that browsers show instead of an API key, which they would have to keep where scripts reach it. */
export interface SignIns {
  /** Returns the text of a cookie that authenticates as this key for a day. */
  issue(key: Pick<ApiKey, 'name' | 'digest'>): string;
  /** Returns the key of the request's cookie, or undefined without a valid cookie. */
  keyOf(headers: IncomingHttpHeaders): ApiKey | undefined;
}

export interface SignInOptions {
  /** The secret is known to every gateway of the installation, so that each accepts the cookies of the others. */
  readonly secret: string;
  readonly keys: Pick<Keyring, 'findByName'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const TICKET = /^(?<name>[A-Za-z0-9_.:-]{1,128})\.(?<until>\d{1,12})\.(?<proof>[\w-]{43})$/;

/**
 * Cookies are signed (HMAC-SHA-256) and kept nowhere: they name the key and stop working with it, since its digest is
 * signed as well. A page of another origin cannot use them: `SameSite` keeps them from other sites, `Sec-Fetch-Site`
 * from other ports of this host.
 */
export const createSignIns = ({ secret, keys, now }: SignInOptions): SignIns => {
  const proofOf = ({ name, digest }: Pick<ApiKey, 'name' | 'digest'>, until: string): Buffer =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['orion-sign-in-1', name, until, digest.toString('hex')]))
      .digest();
  return {
    issue: (key) => {
      const until = String(Math.floor(now() / 1_000) + SIGN_IN_SECONDS);
      return `${key.name}.${until}.${proofOf(key, until).toString('base64url')}`;
    },
    keyOf: (headers) => {
      if (!isOwnPage(headers)) return undefined;
      const { name = '', until = '', proof = '' } = TICKET.exec(cookieIn(headers) ?? '')?.groups ?? {};
      const key = keys.findByName(name);
      if (!key || Number(until) * 1_000 <= now()) return undefined;
      return timingSafeEqual(proofOf(key, until), Buffer.from(proof, 'base64url')) ? key : undefined;
    },
  };
};

/**
 * Today's browsers send this header wherever the address is trustworthy (W3C Fetch Metadata); elsewhere `Origin`
 * decides.
 */
const isOwnPage = ({ 'sec-fetch-site': site }: IncomingHttpHeaders): boolean =>
  site === undefined || site === 'same-origin' || site === 'none';

/** Cookies know no ports: without the port in the name, two gateways on one machine would overwrite each other's. */
export const signInCookieName = ({ host }: IncomingHttpHeaders): string =>
  `orion-${parseHost(host ?? '')?.port ?? 'page'}`;

const cookieIn = (headers: IncomingHttpHeaders): string | undefined => {
  const begin = `${signInCookieName(headers)}=`;
  const cookies = (headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(begin))?.slice(begin.length);
};
