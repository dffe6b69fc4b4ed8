import type { Config } from 'jest';
import { shared } from './jest.config.ts';

/** `npm run test:containers`: needs a Docker engine, and so is no part of `npm test`. */
const config: Config = {
  projects: [{ ...shared, displayName: 'containers', testMatch: ['<rootDir>/test/containers/**/*.test.ts'] }],
};

export { config as default };
