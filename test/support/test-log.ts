import { appendFileSync } from 'node:fs';

/** Names the file of the variable that a run's reporter sets, for the workers that run the tests. */
export const TEST_LOG_VARIABLE = 'ORION_TEST_LOG';

/** Adds a line to the run's log: what a test or its servers say besides passing or failing. Nowhere without a run. */
export const logLine = (line: string): void => {
  const file = process.env[TEST_LOG_VARIABLE];
  if (file !== undefined) appendFileSync(file, `${line.trimEnd()}\n`);
};
