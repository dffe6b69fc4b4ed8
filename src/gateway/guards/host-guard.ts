import type { RequestHandler } from 'express';
import { type HostRule, parseHost } from '../../config/allow-list.ts';
import { ApiError } from '../errors/api-error.ts';

const parseRule = (entry: string): HostRule => {
  const rule = parseHost(entry);
  if (rule) return rule;
  throw new Error(`ORION_ALLOWED_HOSTS: expected host or host:port, received ${JSON.stringify(entry)}`);
};

/**
 * Refuses requests whose `Host` is not ours: a page of a foreign name that resolves to this address must not
 * talk to the gateway (DNS rebinding). An entry without port means any port. Throws on an entry it cannot read.
 */
export const createHostGuard = (allowedHosts: readonly string[]): RequestHandler => {
  const rules = allowedHosts.map(parseRule);
  return (req, _res, next) => {
    const given = parseHost(req.headers.host ?? '');
    const allowed = rules.some(
      ({ host, port }) => given?.host === host && (port === undefined || given.port === port),
    );
    if (allowed) return next();
    next(new ApiError('forbidden_host', 'This Host is not in ORION_ALLOWED_HOSTS.'));
  };
};
