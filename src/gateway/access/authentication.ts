import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';
import type { ApiKey } from '../../access/api-keys.ts';
import type { Keyring } from '../../access/key-file.ts';
import { ApiError } from '../errors/api-error.ts';
import { grantAccess, openAccess, type ClientAccess } from './access.ts';
import type { SignIns } from './sign-in.ts';

/**
 * A key in the header `Authorization` (RFC 6750, 2.1); the name of the scheme is case-insensitive (RFC 9110, 11.1).
 */
const BEARER = /^Bearer +(\S+) *$/i;

/** Tells which API key a request brings, and refuses requests without one. */
export interface Authentication {
  /** Finds the client of a request; undefined without a key that counts. */
  identify(headers: IncomingHttpHeaders): ClientAccess | undefined;
  /** Lets only such clients reach the routes after it. Others get `unauthorized`. */
  readonly required: RequestHandler;
}

/** Returns the rights of an API key, whether a request brings the key or a cookie for it. */
export const accessOfKey = (key: ApiKey): ClientAccess => ({
  name: key.name,
  mayUse: (projectId) => key.opens(projectId),
  projects: key.projects,
  mayApprove: key.approves,
  ...(key.costPerDay !== undefined && { costPerDay: key.costPerDay }),
  mayUseAll: key.opensAll,
});

/**
 * Creates the authentication of a gateway. If `keys` is undefined, everybody who reaches the gateway may do everything.
 * A request that brings a key is judged only by that key, any other by the cookie of a browser that has signed in.
 */
export const createAuthentication = (
  keys: Pick<Keyring, 'find'> | undefined,
  signIns: Pick<SignIns, 'keyOf'> | undefined,
): Authentication => {
  const identify = (headers: IncomingHttpHeaders): ClientAccess | undefined => {
    if (!keys) return openAccess;
    const { authorization } = headers;
    const presented = BEARER.exec(authorization ?? '')?.[1] ?? '';
    const key = authorization === undefined ? signIns?.keyOf(headers) : keys.find(presented);
    return key && accessOfKey(key);
  };
  return {
    identify,
    required: (req, res, next) => {
      const access = identify(req.headers);
      if (!access) {
        res.setHeader('WWW-Authenticate', 'Bearer');
        return next(new ApiError('unauthorized', 'Expected a valid API key: Authorization: Bearer <key>.'));
      }
      grantAccess(req, access);
      if (access.name !== undefined) req.log = req.log.child({ key: access.name });
      next();
    },
  };
};
