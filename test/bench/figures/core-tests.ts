import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Figure } from '../figure.ts';
import { root } from '../processes.ts';
import { rounded } from '../report.ts';

const FOLDERS = ['protocol', 'discipline'];
/** The bar of docs/performance.md in seconds. */
const BAR = 5;

/** The part of Jest's `--json` that is read here; all times are milliseconds since 1970. */
interface JestResults {
  readonly numTotalTests: number;
  readonly numFailedTests: number;
  readonly startTime: number;
  readonly testResults: readonly { readonly startTime: number; readonly endTime: number }[];
}

const runTests = async (signal: AbortSignal): Promise<JestResults> => {
  const dir = await mkdtemp(join(tmpdir(), 'orion-bench-'));
  const outputFile = join(dir, 'results.json');
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const paths = FOLDERS.map((folder) => join('test', folder));
  const args = ['--experimental-vm-modules', jest, '--json', '--outputFile', outputFile, ...paths];
  try {
    const run = promisify(execFile)(process.execPath, args, { cwd: root, signal, maxBuffer: 2 ** 26 });
    // Jest exits with 1 when a test fails, but it has written its results; if it has not, reading them fails.
    await run.catch(() => signal.throwIfAborted());
    return JSON.parse(await readFile(outputFile, 'utf8')) as JestResults;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
};

/**
 * Measures the tests of the core by the time from the start of the run to the end of its last file, as Jest prints it.
 */
export const coreTests: Figure = {
  name: 'core-tests',
  title: 'Unit tests of the pure core (s)',
  async measure({ signal }) {
    const { numTotalTests, numFailedTests, startTime, testResults } = await runTests(signal);
    const sum = testResults.reduce((total, file) => total + (file.endTime - file.startTime) / 1000, 0);
    const elapsed = (Math.max(...testResults.map(({ endTime }) => endTime)) - startTime) / 1000;
    return {
      columns: ['folders', 'files', 'tests', 'sum of files', 'elapsed'],
      rows: [
        [
          FOLDERS.join(' '),
          String(testResults.length),
          String(numTotalTests),
          rounded(sum),
          rounded(elapsed),
        ],
      ],
      checks: [
        { what: 'elapsed', value: elapsed, bar: BAR, side: 'at most', unit: ' s' },
        { what: 'failed tests', value: numFailedTests, bar: 0, side: 'at most', unit: '' },
      ],
    };
  },
};
