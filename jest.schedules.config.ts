import type { Config } from 'jest';
import { reporters, servers } from './jest.config.ts';

/** Configures `npm run test:schedules`, which takes long and is therefore not a part of `npm test`. */
const config: Config = {
  reporters,
  projects: [{ ...servers, displayName: 'schedules', testMatch: ['<rootDir>/test/schedules/**/*.test.ts'] }],
};

export { config as default };
