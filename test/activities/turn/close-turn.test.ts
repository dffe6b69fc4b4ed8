/**
 * Tests the end of a turn over Postgres, as its workflow calls it: it is stored first and announced afterwards. The
 * lane is a recorder.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createCloseTurn } from '../../../activities/turn/close-turn.ts';
import type { CloseTurnInput } from '../../../src/contracts/payload/turn-activity-payloads.ts';
import { createTurnRepository, type TurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { noopPublisher } from '../../../src/live/lane.ts';
import { createToolRegistry } from '../../../src/tools/registry.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answered, turnInput, userMessage } from '../../support/turn-fixtures.ts';
import { RUN_ID } from '../support/activity-inputs.ts';
import { describeClosing } from '../support/closing-contract.ts';

let database: TestDatabase;
let turns: TurnRepository;
beforeAll(async () => {
  database = await createTestDatabase();
  turns = createTurnRepository(database.db);
});
afterAll(() => database.close());

/** What happened, in the order in which it happened. */
const happened: string[] = [];

const closeTurn = async (input: CloseTurnInput, runId = RUN_ID): Promise<void> => {
  const deps = {
    turns,
    registry: createToolRegistry([]),
    traces: { record: () => Promise.resolve() },
    startCompaction: async (turnId: string) => void happened.push(`looked at the window of ${turnId}`),
    startNotifications: async (turnId: string) => void happened.push(`notified of ${turnId}`),
    lane: {
      open: () => ({
        ...noopPublisher,
        publish: () => void happened.push('told'),
        close: async () => void happened.push(`status ${(await turns.find(input.turnId))?.status}`),
      }),
      close: () => undefined,
    },
  };
  const info = { workflowExecution: { workflowId: `turn/${input.turnId}`, runId } };
  const environment = new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') });
  await environment.run(createCloseTurn(deps), input);
};

const endOfTurn = (turnId: string): CloseTurnInput => ({
  ...answered(turnId, '0-1'),
  projectId: 'project',
  conversationId: `of-${turnId}`,
  firstExecutionRunId: RUN_ID,
  liveLane: 'http://127.0.0.1:1',
  prelude: [],
});

const begin = async (): Promise<CloseTurnInput> => {
  const turnId = randomUUID();
  await turns.insert(turnInput(turnId), 'hash', userMessage);
  return endOfTurn(turnId);
};

describeClosing('over Postgres', () => ({
  closeTurn,
  begin,
  async statusOf(turnId) {
    const row = await turns.find(turnId);
    return row?.status === 'running' ? undefined : row?.status;
  },
}));

describe('closeTurn', () => {
  it('publishes the end to readers once it is stored, and then notifies a webhook', async () => {
    const input = await begin();
    happened.length = 0;
    await closeTurn({ ...input, notifies: true });
    expect(happened).toEqual([
      'told',
      'status completed',
      `notified of ${input.turnId}`,
      `looked at the window of ${input.turnId}`,
    ]);
  });

  it.each([
    ['a turn that was never stored', async () => endOfTurn(randomUUID()), RUN_ID],
    ['a run that was made by a reset', begin, 'another-run'],
  ])('of %s is given up for good', async (_of, input, runId) => {
    const closed = closeTurn(await input(), runId);
    await expect(closed).rejects.toMatchObject({ type: 'turn_superseded', nonRetryable: true });
  });
});
