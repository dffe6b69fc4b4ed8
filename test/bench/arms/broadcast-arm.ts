import type { BenchModel } from '../model.ts';
import type { BenchProcesses } from '../processes.ts';
import type { Arm } from './arm.ts';
import { textOfCompletion } from './completion-text.ts';

/** An arm for many viewers of one answer, in which one client asks and others read. */
export interface BroadcastArm extends Pick<Arm, 'url' | 'body' | 'textOf'> {
  readonly eventsUrl: string;
}

/**
 * Starts the cheapest way from a model to many viewers: one process that writes the model's bytes to all of them. Its
 * log is named after `name`.
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
