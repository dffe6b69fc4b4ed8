import type { Config } from 'jest';
import { reporters, servers, testTimeout } from './jest.config.ts';

/** `npm run test:slow`: what takes minutes, and so is no part of `npm test`. */
const config: Config = {
  maxWorkers: 2,
  testTimeout,
  reporters,
  projects: [{ ...servers, displayName: 'slow', testMatch: ['<rootDir>/test/slow/**/*.test.ts'] }],
};

export { config as default };
