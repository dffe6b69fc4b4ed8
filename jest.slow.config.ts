import type { Config } from 'jest';
import { reporters, servers, testTimeout } from './jest.config.ts';

/** `npm run test:slow`: what takes minutes, and so is no part of `npm test`. */
const config: Config = {
  // One of them waits for five minutes of silence.
  maxWorkers: 3,
  testTimeout,
  reporters,
  projects: [{ ...servers, displayName: 'slow', testMatch: ['<rootDir>/test/slow/**/*.test.ts'] }],
};

export { config as default };
