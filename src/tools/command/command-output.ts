import type { ChildProcess } from 'node:child_process';
import type { LiveOutput } from '../tool.ts';
import type { CommandWatch } from './command-launch.ts';
import { MIB } from '../../contracts/values/units.ts';

/**
 * Number of bytes after which reading pauses, so that other streams of this worker continue. With `PORTION_PAUSE_MS`, a
 * flood is read at about 20 MiB a second.
 */
const PORTION_BYTES = MIB;
const PORTION_PAUSE_MS = 50;
/** Number of bytes of a chunk, and of characters in all, that are kept of the end of stderr. */
const TAIL_SIZE = 2_000;

export interface CommandOutputOptions extends Pick<CommandWatch, 'onOutput'> {
  /** Largest number of bytes that a command may write. */
  readonly maxBytes: number;
  /** Called with each chunk that comes when the command has written more than that. */
  readonly onExcess: () => void;
}

/** Reads both outputs of a command, in portions, so that no flood occupies the event loop. */
export class CommandOutput {
  readonly #streams: Pick<ChildProcess, 'stdout' | 'stderr'>;
  readonly #options: CommandOutputOptions;
  #bytes = 0;
  #portion = 0;
  #stderrTail = '';

  constructor(child: Pick<ChildProcess, 'stdout' | 'stderr'>, options: CommandOutputOptions) {
    this.#streams = child;
    this.#options = options;
  }

  /** The end of stderr. In a sandbox, bubblewrap says there why it failed. */
  get stderrTail(): string {
    return this.#stderrTail;
  }

  /** Begins to read both outputs. Errors of these streams are ignored. Call it once. */
  read(): void {
    const { stdout, stderr } = this.#streams;
    for (const [name, stream] of [
      ['stdout', stdout],
      ['stderr', stderr],
    ] as const) {
      stream?.on('data', (bytes: Buffer) => this.#take(name, bytes));
      stream?.on('error', () => undefined);
    }
  }

  #take(stream: LiveOutput['stream'], bytes: Buffer): void {
    const { maxBytes, onOutput, onExcess } = this.#options;
    if (stream === 'stderr') {
      this.#stderrTail = (this.#stderrTail + bytes.subarray(-TAIL_SIZE).toString()).slice(-TAIL_SIZE);
    }
    this.#bytes += bytes.length;
    this.#portion += bytes.length;
    onOutput(stream, bytes);
    if (this.#bytes > maxBytes) onExcess();
    if (this.#portion >= PORTION_BYTES) this.#pause();
  }

  #pause(): void {
    const { stdout, stderr } = this.#streams;
    this.#portion = 0;
    for (const stream of [stdout, stderr]) stream?.pause();
    setTimeout(() => {
      for (const stream of [stdout, stderr]) stream?.resume();
    }, PORTION_PAUSE_MS);
  }
}
