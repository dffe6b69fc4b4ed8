import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { CommitWriteInput } from '../../../src/contracts/payload/session-activity-payloads.ts';
import { eventually } from '../../support/eventually.ts';
import type { FromChild, ToChild } from './commit-child.ts';
import type { Ambush } from './counted-operations.ts';

export type Ended = Extract<FromChild, { type: 'ended' }>;

/** A process that commits as a worker does, and that can be killed or put to sleep at any operation. */
export class CommittingProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(places: Omit<Extract<ToChild, { type: 'open' }>, 'type'>): Promise<CommittingProcess> {
    const child = fork(new URL('./commit-child.ts', import.meta.url), { execArgv: ['--no-warnings'] });
    const opened = once(child, 'message');
    child.send({ type: 'open', ...places } satisfies ToChild);
    await opened;
    return new CommittingProcess(child);
  }

  /** Commits a session; resolves to the result, or to `killed` if the process died. */
  async commit(input: CommitWriteInput, ambush?: Ambush): Promise<Ended | 'killed'> {
    const ended = this.#next();
    this.#send(input, ambush);
    return ended;
  }

  /** Undoes the commit of a session; resolves to the outcome of the undo, or to `killed` if the process died. */
  async undo(input: CommitWriteInput): Promise<Ended | 'killed'> {
    const ended = this.#next();
    this.#child.send({ type: 'undo', input } satisfies ToChild);
    return ended;
  }

  /**
   * Begins a commit or an undo; resolves once the process sleeps before its operation number `at`, counted from 1.
   * `wake` lets it continue to its end.
   */
  async commitUntilAsleep(
    input: CommitWriteInput,
    at: number,
    type: 'commit' | 'undo' = 'commit',
  ): Promise<{ readonly wake: () => Promise<Ended | 'killed'> }> {
    const ended = this.#next();
    this.#child.send({ type, input, ambush: { at, signal: 'SIGSTOP', isTorn: false } } satisfies ToChild);
    // Only the parent process is told that a child has stopped, and Node does not pass that on.
    await eventually('the child to sleep', () => this.#isStopped());
    return {
      wake: () => {
        this.#child.kill('SIGCONT');
        return ended;
      },
    };
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  #send(input: CommitWriteInput, ambush: Ambush | undefined): void {
    this.#child.send({ type: 'commit', input, ...(ambush && { ambush }) } satisfies ToChild);
  }

  async #next(): Promise<Ended | 'killed'> {
    const stop = new AbortController();
    const { signal } = stop;
    try {
      return await Promise.race([
        once(this.#child, 'message', { signal }).then(([message]) => message as Ended),
        once(this.#child, 'exit', { signal }).then(() => 'killed' as const),
      ]);
    } finally {
      stop.abort();
    }
  }

  async #isStopped(): Promise<boolean> {
    const stat = await readFile(`/proc/${this.#child.pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
  }
}
