import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Figure } from '../figure.ts';
import { root } from '../processes.ts';
import { rounded } from '../report.ts';

const FOLDERS = ['protocol', 'agent', 'discipline'];
/** targets.md; seconds. */
const BAR = 5;

/** The part of Jest's `--json` that is read here; times in milliseconds since the epoch. */
interface JestResults {
  readonly numTotalTests: number;
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
    await promisify(execFile)(process.execPath, args, { cwd: root, signal, maxBuffer: 2 ** 26 });
    return JSON.parse(await readFile(outputFile, 'utf8')) as JestResults;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
};

/** Summed over the files, so that it does not depend on how many of them run side by side. */
export const coreTests: Figure = {
  name: 'core-tests',
  title: 'Unit tests of the pure core (s)',
  async measure({ signal }) {
    const { numTotalTests, startTime, testResults } = await runTests(signal);
    const seconds = testResults.reduce((sum, file) => sum + (file.endTime - file.startTime) / 1000, 0);
    const wall = (Math.max(...testResults.map(({ endTime }) => endTime)) - startTime) / 1000;
    return {
      columns: ['folders', 'files', 'tests', 'test time', 'wall'],
      rows: [
        [
          FOLDERS.join(' '),
          String(testResults.length),
          String(numTotalTests),
          rounded(seconds),
          rounded(wall),
        ],
      ],
      checks: [{ what: 'test time', value: seconds, bar: BAR, side: 'at most', unit: ' s' }],
    };
  },
};
