import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import { joinSupervisor } from '../../../src/process/supervised.ts';
import { streamModel } from './polling-activity.ts';
import { POLLING_TASK_QUEUE } from './polling-settings.ts';

/** `node polling-worker.ts <Temporal address> <model URL>` runs the worker of the polling arm. */
const [address = '', modelUrl = ''] = process.argv.slice(2);
const client = new Client({ connection: await Connection.connect({ address }) });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue: POLLING_TASK_QUEUE,
  workflowBundle: await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('polling-workflow.ts', import.meta.url)),
  }),
  activities: { streamModel: streamModel(client, modelUrl) },
});
const ready = joinSupervisor(() => process.exit());
const running = worker.run();
ready();
await running;
process.exit();
