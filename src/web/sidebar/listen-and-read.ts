import { listenForInputNews } from '../http/listen-for-news.ts';

const FIRST_PAUSE_MS = 1_000;
/**
 * The longest pause, in milliseconds, before this tab tries again to listen. It reads the list after each failed try.
 */
const MAX_PAUSE_MS = 20_000;

/**
 * Calls `readList` whenever there is news of the waiting requests, and after each try to hear any that has failed. It
 * listens again after a pause, and each failed try makes the next pause twice as long. Resolves once `signal` aborts.
 */
export const listenAndRead = async (signal: AbortSignal, readList: () => Promise<void>): Promise<void> => {
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const wasHeard = await listenForInputNews(signal, () => void readList());
    if (signal.aborted) return;
    if (wasHeard) pause = FIRST_PAUSE_MS;
    else await readList();
    await pauseFor(pause, signal);
    pause = Math.min(pause * 2, MAX_PAUSE_MS);
  }
};

const pauseFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
  });
