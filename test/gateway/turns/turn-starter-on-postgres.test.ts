import { afterAll, beforeAll } from '@jest/globals';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { createTurnCanceller } from '../../../src/gateway/turns/turn-workflows.ts';
import { describeTurnStarter } from '../support/turn-starter-contract.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answered } from '../../support/turn-fixtures.ts';
import { starterOn, willingClient } from '../../db/support/starter-on.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

describeTurnStarter('on Postgres', () => {
  const turns = createTurnRepository(database.db);
  return {
    turns: {
      ...starterOn(turns),
      ...createTurnCanceller({ client: willingClient, turns, taskQueue: 'orion' }),
      find: (id) => turns.find(id),
      listRunning: (...args) => turns.listRunning(...args),
    },
    end: async (turnId) => void (await turns.close(answered(turnId, '0-1'))),
  };
});
