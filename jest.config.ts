import type { Config } from 'jest';

/** Folders and files of tests that need Temporal, Postgres or the workflow bundle; all others run without a server. */
const SERVER_TESTS = [
  'activities',
  'db',
  'e2e',
  'examples',
  'faults',
  'gateway/turns/turn-sources',
  'gateway/turns/turn-starter-on-postgres',
  'trace/session-traces',
  'web/browser',
  'worker/bundle',
  'workflows',
  'write-session-service',
].map((path) => `<rootDir>/test/${path}`);

export const shared = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  modulePathIgnorePatterns: ['<rootDir>/.orion'],
} satisfies Config['projects'] extends (infer P)[] | undefined ? Exclude<P, string> : never;

export const servers = {
  ...shared,
  displayName: 'servers',
  testMatch: SERVER_TESTS.flatMap((path) => [`${path}/**/*.test.ts`, `${path}.test.ts`]),
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

/** Results on the terminal, whatever else is said in a file. */
export const reporters = ['default', '<rootDir>/test/support/log-reporter.ts'];

/**
 * For what hangs, hooks that start the whole system included: beside other work a test takes twenty times as long as alone.
 * Files that need longer say why.
 */
export const testTimeout = 240_000;

/** Two projects, since Jest runs a project's set-up only when one of its tests is asked for. */
const config: Config = {
  // One more than the cores of a small machine: tests of whole systems wait for half of their time.
  maxWorkers: 3,
  testSequencer: '<rootDir>/test/support/servers-first.ts',
  testTimeout,
  reporters,
  projects: [
    {
      ...shared,
      displayName: 'pure',
      testPathIgnorePatterns: [
        ...SERVER_TESTS.map((path) => `${path}(?:/|\\.test\\.ts$)`),
        '<rootDir>/test/slow/',
        '<rootDir>/test/containers/',
        '<rootDir>/test/schedules/',
      ],
    },
    servers,
  ],
};

export { config as default };
