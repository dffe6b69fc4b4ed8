import { Router } from 'express';
import { createApiDocument } from '../openapi/api-document.ts';

/**
 * Creates the route `GET /openapi.json`. The document holds no secret, and the route asks for no key: tools read it
 * before they have one.
 */
export const createOpenApiRoutes = (): Router => {
  // Made at the first request: 30 ms that a gateway need not spend while it starts.
  let text: string | undefined;
  const router = Router();
  router.get('/openapi.json', (_req, res) => {
    text ??= JSON.stringify(createApiDocument());
    res.type('json').send(text);
  });
  return router;
};
