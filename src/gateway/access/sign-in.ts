import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ApiKey } from '../../access/api-keys.ts';
import type { Keyring } from '../../access/key-file.ts';
import { parseHost } from '../../base/hosts/host-rules.ts';
import { DAY_MS } from '../../contracts/values/units.ts';

/** Seconds for which a browser stays signed in: one day. */
export const SIGN_IN_SECONDS = DAY_MS / 1_000;

/** The cookies that browsers send instead of an API key. A key would have to be kept where scripts can read it. */
export interface SignIns {
  /** Returns the value of a cookie that stands for this key for one day. */
  issue(key: Pick<ApiKey, 'name' | 'digest'>): string;
  /** Returns the key for which the cookie of a request stands. Returns undefined without a valid cookie. */
  keyOf(headers: IncomingHttpHeaders): ApiKey | undefined;
}

export interface SignInDeps {
  /**
   * Signs the cookies. Every gateway of the installation has the same secret, so each accepts the cookies of the
   * others.
   */
  readonly secret: string;
  readonly keys: Pick<Keyring, 'findByName'>;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

/** Matches the value of a cookie: name of the key, end in seconds since 1970, and signature in base64url. */
const TICKET = /^(?<name>[A-Za-z0-9_.:-]{1,128})\.(?<until>\d{1,12})\.(?<proof>[\w-]{43})$/;

/**
 * Creates and checks cookies, which are signed (HMAC-SHA-256) and stored nowhere. A cookie names its key, and becomes
 * invalid when the key is removed or replaced, since the digest of the key is signed as well. A page of another origin
 * cannot use it: `SameSite` keeps it from other sites, and `Sec-Fetch-Site` from other ports of this host.
 */
export const createSignIns = ({ secret, keys, now }: SignInDeps): SignIns => {
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
 * Reports whether a request comes from a page of this gateway, or from no page. Browsers send `Sec-Fetch-Site` only to
 * trustworthy addresses (W3C Fetch Metadata). A request without it is judged by its `Origin`, in `createOriginGuard`.
 */
const isOwnPage = ({ 'sec-fetch-site': site }: IncomingHttpHeaders): boolean =>
  site === undefined || site === 'same-origin' || site === 'none';

/**
 * Returns the name of the cookie. It contains the port, because browsers send a cookie to all ports of a host, and two
 * gateways on one machine would overwrite each other's.
 */
export const signInCookieName = ({ host }: IncomingHttpHeaders): string =>
  `orion-${parseHost(host ?? '')?.port ?? 'page'}`;

const cookieIn = (headers: IncomingHttpHeaders): string | undefined => {
  const begin = `${signInCookieName(headers)}=`;
  const cookies = (headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(begin))?.slice(begin.length);
};
