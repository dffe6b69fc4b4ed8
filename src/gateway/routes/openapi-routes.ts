import { Router } from 'express';
import { createApiDocument } from '../openapi/api-document.ts';

/**
 * Creates the route `GET /openapi.json`. The document contains no secret. The route requires no key, since tools read
 * it before they have one.
 */
export const createOpenApiRoutes = (): Router => {
  // Made at the first request, since a gateway that starts need not spend these 30 ms.
  let text: string | undefined;
  const router = Router();
  router.get('/openapi.json', (_req, res) => {
    text ??= JSON.stringify(createApiDocument());
    res.type('json').send(text);
  });
  return router;
};
