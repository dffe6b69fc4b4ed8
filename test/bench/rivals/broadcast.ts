import express, { type Response } from 'express';
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { joinSupervisor } from '../../../src/process/supervised.ts';

/**
 * `node broadcast.ts <URL>` asks the model on a POST and passes the bytes of its answer, unparsed, to every reader of
 * /events. A reader that comes later gets the earlier bytes in one piece.
 */
const [modelUrl = ''] = process.argv.slice(2);
const ready = joinSupervisor(() => process.exit());
const viewers = new Set<Response>();
let said: Buffer[] = [];

const app = express();
app.get('/events', (_req, res) => {
  res.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
  res.flushHeaders();
  if (said.length > 0) res.write(Buffer.concat(said));
  viewers.add(res);
  res.once('close', () => viewers.delete(res));
});
app.post('/messages', (req, res) => {
  const headers = { 'content-type': 'application/json', 'content-length': req.get('content-length') ?? 0 };
  const call = request(modelUrl, { method: 'POST', headers }, (answer) => {
    answer.on('data', (bytes: Buffer) => {
      said.push(bytes);
      for (const viewer of viewers) viewer.write(bytes);
    });
    answer.on('end', () => {
      said = [];
      for (const viewer of viewers) viewer.end();
      res.end();
    });
  });
  call.on('error', () => res.destroy());
  req.pipe(call);
});
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
ready((server.address() as AddressInfo).port);
