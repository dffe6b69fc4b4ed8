import { afterAll, beforeAll } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { budgetsSchema } from '../../src/contracts/budgets.ts';
import { createTurnRepository } from '../../src/db/turn-repository.ts';
import { createTurnStarter } from '../../src/gateway/turns/turn-starter.ts';
import { describeTurnStarter } from '../gateway/support/turn-starter-contract.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { answered } from '../support/turn-fixtures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** Every workflow starts, and goes on. */
const client = {
  withDeadline: (_deadline: number, run: () => Promise<unknown>) => run(),
  workflow: {
    start: () => Promise.resolve(),
    getHandle: () => ({ describe: () => Promise.resolve({ status: { name: 'RUNNING' } }) }),
  },
} as unknown as Client;

describeTurnStarter('on Postgres', () => {
  const turns = createTurnRepository(database.db);
  const { start } = createTurnStarter({
    client,
    turns,
    taskQueue: 'orion',
    admission: { admit: () => ({ stored: () => undefined, withdraw: () => undefined }) },
    hasSearchAttributes: () => Promise.resolve(false),
    defaults: {
      budgets: budgetsSchema.parse({}),
      model: 'fake',
      toolResultRole: 'tool',
      projects: new Map(),
      heartbeatTimeoutMs: 10_000,
      sessionInactivityMs: 300_000,
      liveLane: undefined,
    },
  });
  return {
    turns: { start, find: (id) => turns.find(id), runningOf: (...args) => turns.runningOf(...args) },
    end: async (turnId) => void (await turns.close(answered(turnId, '0-1'))),
  };
});
