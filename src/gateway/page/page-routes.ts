import { Router, type Request, type Response } from 'express';
import { ApiError } from '../errors/api-error.ts';
import type { PageFile, PageFiles } from './page-files.ts';

/**
 * Content policy of the page. It may run and load what this gateway serves, and nothing that a text of a model, a file
 * or a tool brings along. `trusted-types` lets HTML of such a text into the page only through DOMPurify.
 */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types dompurify',
].join('; ');

/** Cache header of a file whose name contains the hash of its content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/**
 * Creates the routes of the chat page: `GET /`, and the files that the page loads. The page contains no data of the
 * installation, because what it shows comes from the API. If `files` is undefined, the response to `GET /` is a 404
 * that says how to build the page.
 */
export const createPageRoutes = (files: PageFiles | undefined): Router => {
  const router = Router();
  router.get('/', (req, res) => {
    const page = files?.get('/');
    if (!page) throw new ApiError('not_found', NOT_BUILT);
    res.set({ 'Content-Security-Policy': CONTENT_POLICY, 'Cache-Control': 'no-cache' });
    sendFile(req, res, page);
  });
  router.get('/assets/:name', (req, res, next) => {
    const file = files?.get(req.path);
    if (!file) return next();
    res.set('Cache-Control', IMMUTABLE);
    sendFile(req, res, file);
  });
  return router;
};

const NOT_BUILT =
  'The chat page was not built: `node src/stack/setup.mjs` builds it, then start the gateway again.';

const sendFile = (req: Request, res: Response, { type, bytes, compressed }: PageFile): void => {
  res.set('Content-Type', type).vary('Accept-Encoding');
  const [coding, body] = compressed.find(([name]) => req.acceptsEncodings(name)) ?? [undefined, bytes];
  if (coding !== undefined) res.set('Content-Encoding', coding);
  res.send(body);
};
