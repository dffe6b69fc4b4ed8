import type { Config } from 'jest';
import { reporters, servers, testTimeout, workerIdleMemoryLimit } from './jest.config.ts';

/** Configures `npm run test:slow`: these tests take minutes and are therefore not a part of `npm test`. */
const config: Config = {
  // One of the tests waits for five minutes of silence, so others run beside it.
  maxWorkers: 3,
  workerIdleMemoryLimit,
  testTimeout,
  reporters,
  projects: [{ ...servers, displayName: 'slow', testMatch: ['<rootDir>/test/slow/**/*.test.ts'] }],
};

export { config as default };
