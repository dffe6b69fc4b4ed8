import type { RequestHandler, Response } from 'express';
import { DEFAULT_PORTS, type OriginParts, parseOrigin } from '../../base/hosts/host-rules.ts';
import { ApiError } from '../errors/api-error.ts';

/** Seconds for which a browser may remember the response to a preflight. */
const PREFLIGHT_SECONDS = 600;

/**
 * Creates middleware that refuses requests from pages of foreign origins (CSRF), and answers the CORS preflights of
 * pages of `allowedOrigins`. The gateway's own page is not foreign, because its origin is the `Host` of the request,
 * which the host guard has checked. A request without `Origin` passes, since it comes from a program or from this page.
 * Throws Error for an entry that cannot be read.
 */
export const createOriginGuard = (allowedOrigins: readonly string[]): RequestHandler => {
  const rules = allowedOrigins.map(parseRule);
  return (req, res, next) => {
    const { origin, host } = req.headers;
    res.vary('Origin');
    if (origin === undefined || isOwn(origin, host)) return next();
    if (!rules.some((rule) => matchesRule(rule, origin))) {
      return next(new ApiError('forbidden_origin', 'This Origin is not in ORION_ALLOWED_ORIGINS.'));
    }
    res.setHeader('Access-Control-Allow-Origin', origin);
    res.setHeader('Access-Control-Expose-Headers', 'X-Turn-Id, X-Request-Id, Location, Retry-After');
    const isPreflight =
      req.method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined;
    if (isPreflight) return sendPreflightResponse(res);
    next();
  };
};

const parseRule = (entry: string): OriginParts => {
  const rule = parseOrigin(entry);
  if (rule) return rule;
  throw new Error(
    `ORION_ALLOWED_ORIGINS: expected an origin such as https://chat.example:8080, received ${JSON.stringify(entry)}`,
  );
};

const isOwn = (origin: string, host: string | undefined): boolean => {
  const { scheme, host: name, port } = parseOrigin(origin) ?? {};
  if (scheme !== 'http' && scheme !== 'https') return false;
  return host?.toLowerCase() === (port === undefined ? name : `${name}:${port}`);
};

const matchesRule = (rule: OriginParts, origin: string): boolean => {
  const { scheme, host, port } = parseOrigin(origin) ?? {};
  if (scheme === undefined || host !== rule.host) return false;
  if (rule.scheme !== undefined && scheme !== rule.scheme) return false;
  return rule.port === undefined || rule.port === (port ?? DEFAULT_PORTS[scheme]);
};

const sendPreflightResponse = (res: Response): void => {
  res.setHeader('Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE');
  res.setHeader(
    'Access-Control-Allow-Headers',
    'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-Id, Cache-Control, Upload-Offset',
  );
  res.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
  res.status(204).end();
};
