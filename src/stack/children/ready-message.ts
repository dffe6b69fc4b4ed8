import { childMessageSchema } from '../../process/supervised.ts';
import type { Child } from './child.ts';

/** Waits for the message by which a child says that it serves; rejects after `timeoutMs`. */
export const readyMessage = (child: Child, timeoutMs: number): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      child.process.off('message', onMessage);
      finish();
    };
    const onMessage = (message: unknown): void => {
      const parsed = childMessageSchema.safeParse(message);
      if (parsed.success && 'ready' in parsed.data) {
        const { port } = parsed.data;
        settle(() => resolve(port));
      }
    };
    const tooLate = (): void => settle(() => reject(new Error(`not ready after ${timeoutMs} ms`)));
    const timer = setTimeout(tooLate, timeoutMs);
    child.process.on('message', onMessage);
    void child.exited.then(({ how }) => settle(() => reject(new Error(`ended before it was ready: ${how}`))));
  });
