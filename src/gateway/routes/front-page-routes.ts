import { Router } from 'express';
import { createApiDocument } from '../openapi/api-document.ts';

/** Styles alone, and none from elsewhere: nothing on the page runs. */
const CONTENT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Orion</title>
<style>
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
  body { max-width: 42rem; margin: 3rem auto; padding: 0 1rem }
  pre { overflow-x: auto; padding: 0.75rem; border: 1px solid #8886 }
</style>
<h1>Orion</h1>
<p>A durable agent-chat backend: each chat turn survives the processes that run it. This is its gateway.</p>
<pre>curl -N &lt;this address&gt;/api/chat/messages -H 'content-type: application/json' \\
  -d '{"projectId":"demo","content":"List the files","metadata":{"maxPhaseCycles":25}}'</pre>
<ul>
  <li><a href="/openapi.json">/openapi.json</a>: every route, OpenAPI 3.1</li>
  <li><a href="/health">/health</a>: this process answers</li>
  <li><a href="/ready">/ready</a>: a turn that is started now would run</li>
  <li><a href="/metrics">/metrics</a>: figures for Prometheus</li>
</ul>
<p>On a terminal: <code>orion</code>. The repository’s <code>docs/http-api.md</code> tells the rest.</p>
</html>
`;

/** `GET /`: what this is, for whoever opens the address that the start prints. It tells nothing of the installation. */
export const createFrontPageRoutes = (): Router => {
  const router = Router();
  router.get('/', (_req, res) => {
    res.set('Content-Security-Policy', CONTENT_POLICY).type('html').send(PAGE);
  });
  return router;
};

/** `GET /openapi.json`. It holds no secret and asks for no key: tools read it before they have one. */
export const createOpenApiRoutes = (): Router => {
  // Made when first asked for: 30 ms that a gateway need not spend while it starts.
  let text: string | undefined;
  const router = Router();
  router.get('/openapi.json', (_req, res) => {
    text ??= JSON.stringify(createApiDocument());
    res.type('json').send(text);
  });
  return router;
};
