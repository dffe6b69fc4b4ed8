// `node .ci/count-tests.mjs <report> <exit code>`: prints how many tests passed and failed in a Jest JSON report.
import { readFileSync } from 'node:fs';

/** @typedef {{ numPassedTests: number, numFailedTests: number, numRuntimeErrorTestSuites: number }} Report */

const [path = '', exitCode = ''] = process.argv.slice(2);

/** @returns {Report} */
const read = () => {
  try {
    return /** @type {Report} */ (JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 0 };
  }
};

const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = read();
// A file that does not load has no tests to fail, and a set-up that breaks leaves no report at all.
const failures = numFailedTests + numRuntimeErrorTestSuites;
process.stdout.write(`${numPassedTests} ${failures === 0 && exitCode !== '0' ? 1 : failures}\n`);
