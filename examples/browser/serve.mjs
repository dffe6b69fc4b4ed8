/**
 * Serves index.html on http://127.0.0.1:8000, and only to this machine. Any other static server does as well; a page
 * that is opened as a file has no origin that a gateway could allow.
 *
 *   node examples/browser/serve.mjs [port]
 */
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';

const page = new URL('index.html', import.meta.url);
const [port = '8000'] = process.argv.slice(2);

const server = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  createReadStream(page).pipe(response);
});

server.listen(Number(port), '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${port}\n`));
