import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';
import type { ApiKey } from '../../access/api-keys.ts';
import type { Keyring } from '../../access/key-file.ts';
import { ApiError } from '../errors/api-error.ts';
import { grantAccess, openAccess, type ClientAccess } from './access.ts';
import type { SignIns } from './sign-in.ts';

/**
 * An API key in the header `Authorization` (RFC 6750, section 2.1). The name of the scheme is case-insensitive (RFC
 * 9110, section 11.1).
 */
const BEARER = /^Bearer +(\S+) *$/i;

/** Finds out which API key a request brings, and refuses requests without a valid one. */
export interface Authentication {
  /**
   * Returns the access of a request's client. Returns undefined if the request brings neither a valid key nor a valid
   * cookie.
   */
  identify(headers: IncomingHttpHeaders): ClientAccess | undefined;
  /**
   * Middleware that refuses requests for which `identify` finds no client, with `unauthorized`. It notes the access of
   * all other clients for `accessOf`.
   */
  readonly required: RequestHandler;
}

/** Returns the access that an API key gives, whether a request brings the key itself or a cookie for it. */
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
 * A request with the header `Authorization` is judged only by the key in it. Any other request is judged by the cookie
 * of a browser that has signed in.
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
