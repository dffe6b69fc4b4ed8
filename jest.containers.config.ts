import type { Config } from 'jest';
import { shared } from './jest.config.ts';

/** Configures `npm run test:containers`, which needs a Docker engine and is therefore not a part of `npm test`. */
const config: Config = {
  projects: [{ ...shared, displayName: 'containers', testMatch: ['<rootDir>/test/containers/**/*.test.ts'] }],
};

export { config as default };
