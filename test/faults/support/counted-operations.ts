import fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import pg from 'pg';

/**
 * A signal that strikes the process right before one of its operations. `isTorn` means that half of the data is written
 * first.
 */
export interface Ambush {
  /** The number of the operation; 1 is the first one. */
  readonly at: number;
  readonly signal: 'SIGKILL' | 'SIGSTOP';
  readonly isTorn: boolean;
}

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

const PROMISES = ['open', 'rename', 'link', 'unlink', 'mkdir', 'rm'] as const;
const ON_HANDLES = ['writeFile', 'sync', 'chmod', 'utimes'] as const;

/**
 * Counts everything that this process does to files and to Postgres, underneath the code that does it, and sends the
 * process a signal right before one of these operations. Import the code to be watched after calling `watch`.
 */
export class CountedOperations {
  #ambush: Ambush | undefined;
  #seen: string[] = [];

  async watch(): Promise<void> {
    const promises = Object(fs.promises) as Record<string, AnyFunction>;
    for (const name of PROMISES) this.#wrap(promises, name);
    const handle = await fs.promises.open('/dev/null');
    const prototype = Object.getPrototypeOf(handle) as Record<string, AnyFunction>;
    await handle.close();
    for (const name of ON_HANDLES) this.#wrap(prototype, name);
    this.#wrap(Object(pg.Client.prototype) as Record<string, AnyFunction>, 'query');
    syncBuiltinESMExports();
  }

  arm(ambush: Ambush | undefined): void {
    this.#ambush = ambush;
    this.#seen = [];
  }

  /** The names of the operations since the last call of `arm`, in order. */
  get seen(): readonly string[] {
    return this.#seen;
  }

  #wrap(owner: Record<string, AnyFunction>, name: string): void {
    const original = owner[name];
    if (original === undefined) throw new Error(`there is no ${name} to watch`);
    const strike = (self: unknown, args: readonly unknown[]) => this.#strike(original, name, self, args);
    owner[name] = function watched(...args) {
      strike(this, args);
      return original.apply(this, args);
    };
  }

  #strike(original: AnyFunction, name: string, self: unknown, args: readonly unknown[]): void {
    if (name === 'open' && !makesFile(args[1])) return;
    this.#seen.push(name === 'link' && isTemp(args[1]) ? 'link of a temp' : name);
    if (this.#ambush?.at !== this.#seen.length) return;
    if (this.#ambush.isTorn) tear(self as FileHandle, args[0]);
    process.kill(process.pid, this.#ambush.signal);
  }
}

/**
 * Reports whether a path is a temporary file. The function of the product is not used, because its module must not be
 * loaded yet.
 */
const isTemp = (path: unknown): boolean => basename(String(path)).startsWith('.orion-tmp-');

/**
 * Reports whether opening creates a file. Opening for reading changes nothing, so a death before it is the same as one
 * before the next operation.
 */
const makesFile = (flags: unknown): boolean =>
  typeof flags === 'number' && (flags & fs.constants.O_CREAT) !== 0;

const tear = (handle: FileHandle, bytes: unknown): void => {
  if (bytes instanceof Uint8Array) fs.writeSync(handle.fd, bytes.subarray(0, bytes.length / 2));
};
