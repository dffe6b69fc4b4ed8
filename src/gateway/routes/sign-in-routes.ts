import { Router, type CookieOptions, type Request } from 'express';
import { signInBodySchema, type SignInResponse } from '../../contracts/http/sign-in-api.ts';
import { type ClientAccess, accessOf } from '../access/access.ts';
import { accessOfKey } from '../access/authentication.ts';
import { SIGN_IN_SECONDS, signInCookieName } from '../access/sign-in.ts';
import { ApiError } from '../errors/api-error.ts';
import type { GatewayDeps } from '../deps/gateway-deps.ts';
import { jsonBody } from '../requests/json-body.ts';
import { parseRequest } from '../requests/validation.ts';

export type SignInRouteDeps = Pick<GatewayDeps, 'keys' | 'signIns'>;

/**
 * Creates the routes of `/api/sign-in` that require no key (docs/http-api.md "Keys"). `POST` gives a browser a cookie
 * for an API key, so that the browser need not keep the key. It refuses an invalid key with `unauthorized`. `DELETE`
 * removes the cookie.
 */
export const createSignInRoutes = ({ keys, signIns }: SignInRouteDeps): Router => {
  const router = Router();
  router.post('/api/sign-in', ...jsonBody, (req, res) => {
    const { key: presented } = parseRequest(signInBodySchema, req.body, 'body');
    const key = keys?.find(presented);
    if (!key || !signIns) throw new ApiError('unauthorized', 'Expected a valid API key.');
    const options = { ...cookieOptions(req), maxAge: SIGN_IN_SECONDS * 1_000 };
    res.cookie(signInCookieName(req.headers), signIns.issue(key), options);
    req.log.info({ key: key.name }, 'signed in');
    res.json(toSignInResponse(accessOfKey(key)));
  });
  router.delete('/api/sign-in', (req, res) => {
    res.clearCookie(signInCookieName(req.headers), cookieOptions(req)).status(204).end();
  });
  return router;
};

/**
 * Creates the route `GET /api/sign-in`, without the `/api` at which it is mounted. It answers with the name and the
 * rights of the client. The chat page needs them, since it cannot read its cookie.
 */
export const createIdentityRoute = (): Router =>
  Router().get('/sign-in', (req, res) => {
    res.json(toSignInResponse(accessOf(req)));
  });

const toSignInResponse = ({ name, projects, mayApprove }: ClientAccess): SignInResponse => ({
  name: name ?? null,
  projects: projects ? [...projects] : null,
  approves: mayApprove,
});

/**
 * Returns the options of the cookie. TLS ends in a proxy in front of the gateway, so only the origin of the page tells
 * whether it is used.
 */
const cookieOptions = ({ headers }: Request): CookieOptions => ({
  httpOnly: true,
  sameSite: 'strict',
  path: '/api',
  secure: headers.origin?.startsWith('https:') === true,
  // The cookie has no character to be escaped except colons, which `keyOf` expects as they are.
  encode: String,
});
