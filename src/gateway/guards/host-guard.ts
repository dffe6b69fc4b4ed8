import type { Request, RequestHandler } from 'express';
import { DEFAULT_PORTS, matchesHost, parseHost, type HostAndPort } from '../../base/hosts/host-rules.ts';
import { ApiError } from '../errors/api-error.ts';

/**
 * Creates middleware that refuses a request whose `Host` is none of `allowedHosts`, because a page under a foreign name
 * that resolves to this address must not talk to the gateway (DNS rebinding). An entry without a port allows any port.
 * A request with two `Host` lines, or with a `Host` that differs from the host of its absolute URL, is refused as well
 * (RFC 9112, section 3.2), because a proxy in between may have read the other one. Throws Error for an entry that
 * cannot be read.
 */
export const createHostGuard = (allowedHosts: readonly string[]): RequestHandler => {
  const rules = allowedHosts.map(parseRule);
  return (req, _res, next) => {
    if (isAmbiguous(req)) return next(ambiguousHostError());
    const headerHost = parseHost(req.headers.host ?? '');
    if (rules.some((rule) => matchesHost(headerHost, rule))) return next();
    next(new ApiError('forbidden_host', 'This Host is not in ORION_ALLOWED_HOSTS.'));
  };
};

const parseRule = (entry: string): HostAndPort => {
  const rule = parseHost(entry);
  if (rule) return rule;
  throw new Error(`ORION_ALLOWED_HOSTS: expected host or host:port, received ${JSON.stringify(entry)}`);
};

const ambiguousHostError = (): ApiError =>
  new ApiError('validation_failed', 'Expected one Host.', {
    details: [{ field: 'Host', expected: 'one host, that of the URL', received: 'several' }],
  });

/**
 * Reports whether a request names more than one host. Node keeps only the first of several `Host` lines in `headers`.
 */
const isAmbiguous = ({ headersDistinct, headers, url }: Request): boolean => {
  const hosts = headersDistinct['host'] ?? [];
  if (hosts.length > 1) return true;
  if (url.startsWith('/') || !URL.canParse(url)) return false;
  const { protocol, hostname, port } = new URL(url);
  const headerHost = parseHost(headers.host ?? '');
  // `URL` leaves out the default port of its scheme; `Host` may name it.
  const headerPort = headerHost?.port === DEFAULT_PORTS[protocol.slice(0, -1)] ? '' : headerHost?.port;
  return headerHost?.host !== hostname || (headerPort ?? '') !== port;
};
