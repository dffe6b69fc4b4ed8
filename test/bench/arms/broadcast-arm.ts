import type { BenchModel } from '../model.ts';
import type { BenchProcesses } from '../processes.ts';
import type { Arm } from './arm.ts';
import { textOfCompletion } from './completion-text.ts';

/** A rival for many viewers of one answer: who asks is not who reads. */
export interface BroadcastArm extends Pick<Arm, 'url' | 'body' | 'textOf'> {
  readonly eventsUrl: string;
}

/**
 * The least that can stand between a model and many viewers: one process that writes its bytes to all of them. `name`:
 * of its log.
 */
export const startBroadcastArm = async (
  processes: BenchProcesses,
  model: BenchModel,
  name = 'rival-broadcast',
): Promise<BroadcastArm> => {
  const port = await processes.serve({
    name,
    role: 'gateway',
    entry: 'test/bench/rivals/broadcast.ts',
    args: [`${model.baseUrl}/chat/completions`],
  });
  return {
    url: `http://127.0.0.1:${port}/messages`,
    eventsUrl: `http://127.0.0.1:${port}/events`,
    body: (_id, content) => ({ model: 'fake', stream: true, messages: [{ role: 'user', content }] }),
    textOf: textOfCompletion,
  };
};
