import type { BenchModel } from '../model.ts';
import type { BenchProcesses } from '../processes.ts';
import type { Arm } from './arm.ts';
import { textOfCompletion } from './completion-text.ts';

/**
 * Starts the cheapest way to get an answer out of a Temporal activity: one workflow with one activity, which pipes the
 * model's stream into the response in the same process. Nothing is stored and nothing can be resumed.
 */
export const startBareArm = async (
  processes: BenchProcesses,
  model: BenchModel,
  temporalAddress: string,
  name = 'rival-bare',
): Promise<Arm> => {
  const port = await processes.serve({
    name,
    role: 'worker',
    entry: 'test/bench/rivals/bare-temporal.ts',
    args: [temporalAddress, `${model.baseUrl}/chat/completions`, `bench-${name}`],
  });
  return {
    name: 'bare',
    url: `http://127.0.0.1:${port}/messages`,
    body: (id, content) => ({ id, content }),
    textOf: textOfCompletion,
    workflowId: (id) => id,
  };
};
