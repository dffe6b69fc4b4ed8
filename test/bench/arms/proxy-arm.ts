import type { BenchModel } from '../model.ts';
import type { BenchProcesses } from '../processes.ts';
import type { Arm } from './arm.ts';
import { textOfCompletion } from './completion-text.ts';

/** Starts the cheapest way from a model to one client: an Express route that passes the bytes on. */
export const startProxyArm = async (processes: BenchProcesses, model: BenchModel): Promise<Arm> => {
  const port = await processes.serve({
    name: 'rival-proxy',
    role: 'gateway',
    entry: 'test/bench/rivals/proxy.ts',
    args: [`${model.baseUrl}/chat/completions`],
  });
  return {
    name: 'proxy',
    url: `http://127.0.0.1:${port}/messages`,
    body: (_id, content) => ({ model: 'fake', stream: true, messages: [{ role: 'user', content }] }),
    textOf: textOfCompletion,
  };
};
