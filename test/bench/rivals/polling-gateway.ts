import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import express, { type Response } from 'express';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { joinSupervisor } from '../../../src/process/supervised.ts';
import { INTERVAL_MS, POLLING_TASK_QUEUE, type Progress } from './polling-settings.ts';

/** `node polling-gateway.ts <Temporal address>` runs the HTTP side of the polling arm. */
const [address = ''] = process.argv.slice(2);
const client = new Client({ connection: await Connection.connect({ address }) });
const ready = joinSupervisor(() => process.exit());

const app = express();
app.use(express.json());
app.post('/messages', async (req, res) => {
  const { id, content } = req.body as { id: string; content: string };
  const options = { workflowId: id, taskQueue: POLLING_TASK_QUEUE, args: [content] };
  const handle = await client.workflow.start('pollingWorkflow', options);
  res.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
  await poll(handle, res);
  res.end();
});

const poll = async (handle: WorkflowHandle, res: Response): Promise<void> => {
  for (let from = 0; ;) {
    const { text, done } = await handle.query<Progress, [number]>('read', from);
    if (text !== '') res.write(`data: ${JSON.stringify({ text })}\n\n`);
    if (done) return;
    from += text.length;
    await delay(INTERVAL_MS);
  }
};

const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
ready((server.address() as AddressInfo).port);
