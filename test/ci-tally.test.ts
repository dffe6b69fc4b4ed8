import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ci-tally-'));
  symlinkSync(resolve('.ci'), join(folder, '.ci'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Runs these commands and returns what is printed below the output of the last one. */
const endOf = (
  ...commands: readonly string[]
): { readonly lines: readonly string[]; readonly status: number | null } => {
  const script = ['source .ci/tally.sh', ...commands, 'echo "# end"', 'finish'].join('\n');
  const { stdout, stderr, status } = spawnSync('bash', ['-uo', 'pipefail', '-c', script], {
    cwd: folder,
    // With a socket for standard input, bash may take itself for a remote shell and read the machine's own start-up
    // files.
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return { lines: stdout.split('# end\n')[1]?.trimEnd().split('\n') ?? [], status };
};

/** Returns a command that leaves this report where Jest does, prints a line, and exits with this code. */
const jest = (exitCode: number, report: object): string => {
  writeFileSync(join(folder, 'report'), JSON.stringify(report));
  writeFileSync(
    join(folder, 'jest'),
    `for last; do :; done; cp report "\${last#*=}"; echo ran; exit ${exitCode}\n`,
  );
  return 'tests sh jest';
};

const failedTest = (fullName: string, ...failureMessages: string[]): object => ({
  status: 'failed',
  fullName,
  failureMessages,
});

it('the tally ends with the counts, and says nothing else when nothing failed', () => {
  const ran = { numPassedTests: 7, numFailedTests: 0, numRuntimeErrorTestSuites: 0, testResults: [] };
  expect(endOf('step echo a', jest(0, ran))).toEqual({ lines: ['8 passed, 0 failed'], status: 0 });
});

it('repeats the last lines of each step that failed, errors among them', () => {
  expect(endOf('step sh -c "seq 100; echo why >&2; exit 3"', 'step true', 'step false')).toEqual({
    lines: [
      '== failed with exit code 3: sh -c seq 100; echo why >&2; exit 3',
      ...Array.from({ length: 29 }, (_, index) => `${72 + index}`),
      'why',
      '== failed with exit code 1: false',
      '1 passed, 2 failed',
    ],
    status: 1,
  });
});

it('the tally names the tests that failed, and files that did not load, with the beginnings of their messages', () => {
  const report = {
    numPassedTests: 2,
    numFailedTests: 1,
    numRuntimeErrorTestSuites: 1,
    testResults: [
      {
        name: join(folder, 'test/a.test.ts'),
        status: 'failed',
        message: 'long',
        assertionResults: [
          { status: 'passed', fullName: 'fine', failureMessages: [] },
          failedTest('sums › adds', `\u001B[31mexpected\u001B[39m 2\n\n${'at line\n'.repeat(50)}`),
        ],
      },
      {
        name: join(folder, 'b.test.ts'),
        status: 'failed',
        message: 'Cannot find c.ts',
        assertionResults: [],
      },
    ],
  };
  expect(endOf(jest(1, report))).toEqual({
    lines: [
      '== 2 failed: sh jest',
      '✕ test/a.test.ts › sums › adds',
      '    expected 2',
      ...Array.from({ length: 11 }, () => '    at line'),
      '✕ b.test.ts',
      '    Cannot find c.ts',
      '2 passed, 2 failed',
    ],
    status: 1,
  });
});

it('the tally has few lines where everything fails', () => {
  const assertionResults = Array.from({ length: 500 }, (_, index) =>
    failedTest(`${index}`, 'why\n'.repeat(99)),
  );
  const report = {
    numPassedTests: 0,
    numFailedTests: 500,
    numRuntimeErrorTestSuites: 0,
    testResults: [{ name: 'a', status: 'failed', message: '', assertionResults }],
  };
  const { lines } = endOf(jest(1, report));
  expect(lines.length).toBeLessThan(220);
  expect(lines.slice(-2)).toEqual(['… and 440 more', '0 passed, 500 failed']);
});

it('the tally takes a run that leaves no report for a failure, and repeats what it said', () => {
  const { lines, status } = endOf('tests sh -c "echo broken; exit 1"');
  expect({ end: lines.slice(-2), status }).toEqual({ end: ['broken', '0 passed, 1 failed'], status: 1 });
});
