import { Context } from '@temporalio/activity';
import { Client, Connection, WorkflowUpdateStage } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import express from 'express';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { joinSupervisor } from '../../../src/process/supervised.ts';
import type { BareInputActivities } from './bare-inputs-workflow.ts';

/**
 * `node bare-inputs.ts <Temporal address> <model URL> <task queue>` runs HTTP side and worker in one process. One
 * workflow waits for an update and then runs an activity; the activity of the other one is cancelled by Temporal.
 */
const [address = '', modelUrl = '', taskQueue = ''] = process.argv.slice(2);

const activities: BareInputActivities = {
  writeNote: (path) => writeFile(path, 'Allowed.\n'),
  async talk() {
    const context = Context.current();
    const body = JSON.stringify({
      model: 'fake',
      stream: true,
      messages: [{ role: 'user', content: 'Talk.' }],
    });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(modelUrl, {
      method: 'POST',
      headers,
      body,
      signal: context.cancellationSignal,
    });
    for await (const _ of answer.body as ReadableStream<Uint8Array>) context.heartbeat();
  },
};

const ready = joinSupervisor(() => process.exit());
const client = new Client({ connection: await Connection.connect({ address }) });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowBundle: await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('bare-inputs-workflow.ts', import.meta.url)),
  }),
  activities,
});
worker.run().then(
  () => process.exit(),
  () => process.exit(1),
);

const app = express();
app.use(express.json());
app.post('/ask', async (req, res) => {
  const { id, path } = req.body as { id: string; path: string };
  await client.workflow.start('askedWorkflow', { workflowId: id, taskQueue, args: [path] });
  res.end();
});
app.post('/reply', async (req, res) => {
  const { id } = req.body as { id: string };
  const workflow = client.workflow.getHandle(id);
  await workflow.startUpdate('reply', { waitForStage: WorkflowUpdateStage.ACCEPTED });
  res.end();
});
app.post('/talk', async (req, res) => {
  const { id } = req.body as { id: string };
  await client.workflow.start('talkingWorkflow', { workflowId: id, taskQueue });
  res.end();
});
app.post('/interrupt', async (req, res) => {
  const { id } = req.body as { id: string };
  await client.workflow.getHandle(id).signal('interrupt');
  res.end();
});
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
ready((server.address() as AddressInfo).port);
