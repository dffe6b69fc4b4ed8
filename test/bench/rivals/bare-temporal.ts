import { Context } from '@temporalio/activity';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import express, { type Response } from 'express';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { joinSupervisor } from '../../../src/process/supervised.ts';

/**
 * `node bare-temporal.ts <Temporal address> <model URL> <task queue>` runs HTTP side and worker in one process. The
 * activity pipes the model's stream straight into the response to the request that started the workflow.
 */
const [address = '', modelUrl = '', taskQueue = ''] = process.argv.slice(2);
const waiting = new Map<string, Response>();

/** Pipes the model's stream into the response; it runs as an activity. */
const pipeModel = async (content: string): Promise<void> => {
  const response = waiting.get(Context.current().info.workflowExecution?.workflowId ?? '');
  if (!response) throw new Error('nobody waits for this answer');
  const body = JSON.stringify({ model: 'fake', stream: true, messages: [{ role: 'user', content }] });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const call = request(modelUrl, { method: 'POST', headers }).end(body);
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  await pipeline(answer, response);
};

const ready = joinSupervisor(() => process.exit());
const client = new Client({ connection: await Connection.connect({ address }) });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowBundle: await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('bare-workflow.ts', import.meta.url)),
  }),
  activities: { pipeModel },
});
worker.run().then(
  () => process.exit(),
  () => process.exit(1),
);

const app = express();
app.use(express.json());
app.post('/messages', async (req, res) => {
  const { id, content } = req.body as { id: string; content: string };
  res.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
  waiting.set(id, res);
  res.once('close', () => waiting.delete(id));
  await client.workflow.start('bareWorkflow', { workflowId: id, taskQueue, args: [content] });
});
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
ready((server.address() as AddressInfo).port);
