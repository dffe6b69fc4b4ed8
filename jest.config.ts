import type { Config } from 'jest';

/** Folders and files of tests that need Temporal, Postgres or the workflow bundle. Those of Redis start one themselves. */
const SERVER_TESTS = [
  'activities',
  'db',
  'e2e',
  'examples',
  'faults',
  'gateway/turns/temporal-turn-sources',
  'gateway/turns/turn-starter-on-postgres',
  'trace/session-traces',
  'turn-service/unknown-query',
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

/** The results go to the terminal, everything else that is logged goes to a file. */
export const reporters = ['default', '<rootDir>/test/support/log-reporter.ts'];

/**
 * The time in milliseconds after which a test or a hook counts as hung, including hooks that start the whole system. On
 * a busy machine a test takes twenty times as long as on an idle one. Files that need longer say why.
 */
export const testTimeout = 240_000;

/**
 * The memory of a worker process above which Jest replaces it before its next file. Modules of files that have ended are
 * never freed, so a worker would grow to 3 GB, and a process of that size may not end within the 0.5 s that Jest waits
 * before it reports a leak.
 */
export const workerIdleMemoryLimit = '1GB';

/** There are two projects because Jest runs the set-up of a project only when one of its tests is asked for. */
const config: Config = {
  // This is one more than a small machine has cores, because tests of whole systems spend half of their time waiting.
  maxWorkers: 3,
  workerIdleMemoryLimit,
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
