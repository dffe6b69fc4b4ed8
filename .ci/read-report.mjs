// `node .ci/read-report.mjs <report> <exit code>` prints what a Jest JSON report says. The first line is how many tests
// passed and failed; the others name those that failed, each with the beginning of its message.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/**
 * The bounds of what is printed, because a run in which everything fails must leave room for the reasons of the other
 * steps: failures that are named, those of them with a message, and lines of a message.
 */
const MAX_TITLES = 60;
const MAX_MESSAGES = 12;
const MAX_LINES = 12;

/** @typedef {{ status: string, fullName: string, failureMessages: string[] }} Test */
/** @typedef {{ name: string, status: string, message: string, assertionResults: Test[] }} File */
/** @typedef {{ numPassedTests: number, numFailedTests: number, numRuntimeErrorTestSuites: number, testResults: File[] }} Report */

const [path = '', exitCode = ''] = process.argv.slice(2);

/** @returns {Report} */
const read = () => {
  try {
    return /** @type {Report} */ (JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 0, testResults: [] };
  }
};

/**
 * Returns the failed tests of a file. A file that does not load has no tests that could fail, so the file itself is
 * named.
 * @param {File} file
 */
const failuresOf = ({ name, status, message, assertionResults }) => {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  const file = relative(process.cwd(), name);
  if (failed.length === 0) return status === 'failed' ? [{ title: file, message }] : [];
  return failed.map(({ fullName, failureMessages }) => ({
    title: `${file} › ${fullName}`,
    message: failureMessages.join('\n'),
  }));
};

/** @param {string} message */
const beginningOf = (message) =>
  stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, MAX_LINES)
    .map((line) => `    ${line.slice(0, 200)}\n`)
    .join('');

const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults } = read();
const count = numFailedTests + numRuntimeErrorTestSuites;
// A set-up that breaks leaves no report at all, and counts as one failure.
process.stdout.write(`${numPassedTests} ${count === 0 && exitCode !== '0' ? 1 : count}\n`);

const failures = testResults.flatMap(failuresOf);
for (const [index, { title, message }] of failures.slice(0, MAX_TITLES).entries()) {
  process.stdout.write(`✕ ${title}\n${index < MAX_MESSAGES ? beginningOf(message) : ''}`);
}
if (failures.length > MAX_TITLES) process.stdout.write(`… and ${failures.length - MAX_TITLES} more\n`);
