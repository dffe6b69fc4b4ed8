import type { BenchModel } from '../model.ts';
import type { BenchProcesses } from '../processes.ts';
import type { Arm } from './arm.ts';

/**
 * Starts the usual way to stream out of a workflow: every 100 ms the activity signals what the model has said, and
 * every 100 ms the HTTP side queries it. It uses the same Temporal server, a worker of its own and an endpoint of its
 * own.
 */
export const startPollingArm = async (
  processes: BenchProcesses,
  model: BenchModel,
  temporalAddress: string,
): Promise<Arm> => {
  const args = [temporalAddress, `${model.baseUrl}/chat/completions`];
  const [port] = await Promise.all([
    processes.serve({
      name: 'rival-gateway',
      role: 'gateway',
      entry: 'test/bench/rivals/polling-gateway.ts',
      args,
    }),
    processes.serve({
      name: 'rival-worker',
      role: 'worker',
      entry: 'test/bench/rivals/polling-worker.ts',
      args,
    }),
  ]);
  return {
    name: 'polling',
    url: `http://127.0.0.1:${port}/messages`,
    body: (id, content) => ({ id, content }),
    textOf: (data) => (JSON.parse(data) as { text: string }).text,
    workflowId: (id) => id,
  };
};
