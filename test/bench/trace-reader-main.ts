import { setTimeout as delay } from 'node:timers/promises';
import type { Reads, ReadTimes } from './trace-reader.ts';

// This is the process behind `TraceReader`; it ends with its parent.
process.title = 'orion-trace-reader';
process.on('disconnect', () => process.exit());
process.on('message', (reads: Reads) => void readAll(reads).then((times) => process.send?.(times)));
process.send?.('ready');

const readOnce = async (url: string): Promise<number | null> => {
  const startedAt = performance.now();
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.ok ? performance.now() - startedAt : null;
  } catch {
    return null;
  }
};

/** Reads at a fixed rate, whether or not the answers keep up. */
const readAll = async ({ url, perSecond, milliseconds }: Reads): Promise<ReadTimes> => {
  const reads: Promise<number | null>[] = [];
  const begunAt = performance.now();
  for (;;) {
    const elapsed = performance.now() - begunAt;
    if (elapsed >= milliseconds) return Promise.all(reads);
    while (reads.length < (elapsed / 1000) * perSecond) reads.push(readOnce(url));
    await delay(5);
  }
};
