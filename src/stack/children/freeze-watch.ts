import { childMessageSchema } from '../../process/supervised.ts';
import type { ChildHandle } from '../processes/child.ts';
import { signalProcess } from '../processes/process-identity.ts';

export interface FreezeWatchOptions {
  readonly intervalMs: number;
  /** Pings in a row without an answer after which the child counts as frozen. */
  readonly maxMissed: number;
  readonly log: (line: string) => void;
}

/**
 * Pings a child and kills it when it has stopped answering. A frozen worker still holds its polls, and swallows the
 * retries that should go to a healthy worker. Unanswered pings are counted, and not seconds, because after a sleep of
 * the machine both sides have missed the same time.
 */
export const watchForFreeze = (child: ChildHandle, ended: AbortSignal, options: FreezeWatchOptions): void => {
  let pingCount = 0;
  let answeredCount = 0;
  const onMessage = (message: unknown): void => {
    const parsed = childMessageSchema.safeParse(message);
    if (parsed.success && 'pong' in parsed.data) answeredCount = Math.max(answeredCount, parsed.data.pong);
  };
  const ping = (): void => {
    if (pingCount - answeredCount >= options.maxMissed) {
      options.log(`process ${child.pid} is frozen: ${options.maxMissed} pings unanswered; killing it`);
      clearInterval(timer);
      signalProcess(child.pid, 'SIGKILL', 'group');
      return;
    }
    pingCount += 1;
    if (child.process.connected) child.process.send({ ping: pingCount }, () => undefined);
  };
  const timer = setInterval(ping, options.intervalMs);
  timer.unref();
  child.process.on('message', onMessage);
  ended.addEventListener('abort', () => clearInterval(timer), { once: true });
};
