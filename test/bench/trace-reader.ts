import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** How many reads a second of which address, and for how many milliseconds. */
export interface Reads {
  readonly url: string;
  readonly perSecond: number;
  readonly milliseconds: number;
}

/** The milliseconds that each read took; null for one that was refused. */
export type ReadTimes = readonly (number | null)[];

/** Reads in a process of its own, because the process that measures lags must not wait for reads. */
export class TraceReader {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(): Promise<TraceReader> {
    const child = fork(fileURLToPath(new URL('trace-reader-main.ts', import.meta.url)));
    await once(child, 'message');
    return new TraceReader(child);
  }

  async read(reads: Reads): Promise<ReadTimes> {
    this.#child.send(reads);
    const [times] = (await once(this.#child, 'message')) as [ReadTimes];
    return times;
  }

  stop(): void {
    this.#child.disconnect();
  }
}
