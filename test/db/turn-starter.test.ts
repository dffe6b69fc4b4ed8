import { afterAll, beforeAll } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { budgetsSchema } from '../../src/contracts/budgets.ts';
import { createTurnRepository } from '../../src/db/turns/turn-repository.ts';
import { createTurnStarter } from '../../src/gateway/turns/turn-starter.ts';
import { createTurnCanceller } from '../../src/gateway/turns/turn-workflows.ts';
import { describeTurnStarter } from '../gateway/support/turn-starter-contract.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { answered } from '../support/turn-fixtures.ts';
import { partOf } from '../support/part-of.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** Every workflow starts, hears every signal, and goes on. */
const client = partOf<Client>({
  withDeadline: (_deadline: number, run: () => Promise<unknown>) => run(),
  workflow: {
    start: () => Promise.resolve(),
    getHandle: () => ({
      describe: () => Promise.resolve({ status: { name: 'RUNNING' } }),
      signal: () => Promise.resolve(),
    }),
  },
});

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
      notifies: false,
      inputs: { approvals: { rules: [], setting: 'never' }, expiryMs: 86_400_000 },
      maxPhaseCyclesLimit: 50,
      liveLane: undefined,
    },
  });
  return {
    turns: {
      start,
      ...createTurnCanceller(client, turns),
      find: (id) => turns.find(id),
      runningOf: (...args) => turns.runningOf(...args),
    },
    end: async (turnId) => void (await turns.close(answered(turnId, '0-1'))),
  };
});
