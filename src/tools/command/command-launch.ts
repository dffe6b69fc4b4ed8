import { type Clock, systemClock } from '../../base/timing/clock.ts';
import type { LiveOutput } from '../tool.ts';
import type { TreeLimits } from './process-tree.ts';

/**
 * A program as it is started: without input, in a process group of its own, with a handle 3 that ends with this
 * process. The program reports on handle 3 that it is ready, and begins its work when it reads `go` there.
 */
export interface CommandLaunch {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /**
   * Set if the program is bubblewrap. It reads `options` on its handle 4 and `filter` on 6, and reports on 5 what it
   * has started and how that ended.
   */
  readonly sandbox?: {
    readonly options: readonly string[];
    readonly filter: Buffer;
    /** Aborted once the command could read a file that was closed to it. */
    readonly exposed: AbortSignal;
  };
}

/** The limits of one command, beyond which it is ended. */
export interface RunLimits extends TreeLimits {
  readonly timeoutMs: number;
  /** Largest size of stdout and stderr together, in bytes. A command with more only floods. */
  readonly outputBytes: number;
}

/** Follows a command while it runs, lets it begin, and ends it. */
export interface CommandWatch {
  /** Aborted to end the command. */
  readonly signal: AbortSignal;
  /** Called with the output of a command, as it comes. */
  readonly onOutput: (stream: LiveOutput['stream'], bytes: Buffer) => void;
  /**
   * Called when everything is ready for the command to begin, and again if the answer came late. Returns false if the
   * call was given up or repeated elsewhere, for example while this process slept.
   */
  readonly mayBegin: () => Promise<boolean>;
  /** The clock by which a permission is late (default: the machine's). */
  readonly clock?: Pick<Clock, 'now'>;
}

/**
 * Time in milliseconds that asking for a permission may take. A permission that took longer may have been taken away
 * already, so it is asked for again.
 */
const MAX_PERMISSION_MS = 1_000;

/**
 * Reports whether a command may begin. A permission that came late, because this process slept meanwhile, is asked for
 * again. Rejects as `mayBegin` does.
 */
export const hasPermission = async ({
  mayBegin,
  clock = systemClock,
}: Pick<CommandWatch, 'mayBegin' | 'clock'>): Promise<boolean> => {
  const askedAt = clock.now();
  const may = await mayBegin();
  return may && clock.now() - askedAt > MAX_PERMISSION_MS ? hasPermission({ mayBegin, clock }) : may;
};
