import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Config } from 'jest';
import { TEST_LOG_VARIABLE } from './test-log.ts';

/** The number of logs of earlier runs that are kept. */
const KEPT = 4;

/**
 * Gives each run a log of its own under .orion, so that the terminal shows only results; names the log when a test
 * failed.
 */
export class LogReporter {
  readonly #file: string;
  readonly #root: string;

  constructor({ rootDir }: Config) {
    this.#root = rootDir ?? process.cwd();
    const folder = join(this.#root, '.orion', 'test-logs');
    mkdirSync(folder, { recursive: true });
    for (const old of readdirSync(folder).sort().slice(0, -KEPT)) rmSync(join(folder, old), { force: true });
    this.#file = join(folder, `${new Date().toISOString().replaceAll(':', '-')}-${process.pid}.log`);
    writeFileSync(this.#file, '');
    process.env[TEST_LOG_VARIABLE] = this.#file;
  }

  onRunComplete(_contexts: unknown, { numFailedTestSuites }: { readonly numFailedTestSuites: number }): void {
    if (numFailedTestSuites > 0) {
      process.stderr.write(`What the tests and their servers said: ${relative(this.#root, this.#file)}\n`);
    }
  }
}

export { LogReporter as default };
