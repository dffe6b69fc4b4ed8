import type { Config } from 'jest';
import { reporters, servers } from './jest.config.ts';

/** `npm run test:schedules`: takes long, and so is no part of `npm test`. */
const config: Config = {
  reporters,
  projects: [{ ...servers, displayName: 'schedules', testMatch: ['<rootDir>/test/schedules/**/*.test.ts'] }],
};

export { config as default };
