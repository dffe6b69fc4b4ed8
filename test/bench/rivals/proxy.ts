import express from 'express';
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { joinSupervisor } from '../../../src/process/supervised.ts';

/** `node proxy.ts <URL>` passes every body to the model and the model's stream back, both unparsed. */
const [modelUrl = ''] = process.argv.slice(2);
const ready = joinSupervisor(() => process.exit());

const app = express();
app.post('/messages', (req, res) => {
  const headers = { 'content-type': 'application/json', 'content-length': req.get('content-length') ?? 0 };
  const call = request(modelUrl, { method: 'POST', headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, { 'Content-Type': 'text/event-stream; charset=utf-8' });
    pipeline(answer, res, () => undefined);
  });
  call.on('error', () => res.destroy());
  req.pipe(call);
});
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
ready((server.address() as AddressInfo).port);
