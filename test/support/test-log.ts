import { appendFileSync } from 'node:fs';

/** The variable with the path of the log, which a run's reporter sets for the workers that run the tests. */
export const TEST_LOG_VARIABLE = 'ORION_TEST_LOG';

/**
 * Adds a line to the run's log: output of a test or of its servers besides the results. Outside a run the line is
 * dropped.
 */
export const logLine = (line: string): void => {
  const file = process.env[TEST_LOG_VARIABLE];
  if (file !== undefined) appendFileSync(file, `${line.trimEnd()}\n`);
};
