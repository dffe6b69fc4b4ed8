/** Covers where the hub reads a turn: from its workflow while it runs, from Postgres once it has ended. */
import { afterAll, beforeAll } from '@jest/globals';
import { turnWorkflowId } from '../../../src/contracts/values/workflow-ids.ts';
import { createSegmentRepository } from '../../../src/db/turns/segment-repository.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { createTurnSources } from '../../../src/gateway/turns/temporal-turn-sources.ts';
import { attemptEpoch } from '../../../src/contracts/wire/event-id.ts';
import { describeTurnSources } from '../support/turn-sources-contract.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { userMessage } from '../../support/turn-fixtures.ts';
import { newTurnInput, TurnWorker } from '../../support/turn-worker.ts';
import {
  answeredCall,
  ScriptedActivities,
  succeeded,
  scriptedCall,
} from '../../workflows/support/scripted-activities.ts';

/** A turn whose tool waits until the test ends it. */
interface HeldTurn {
  readonly words: readonly string[];
  readonly atTool: PromiseWithResolvers<void>;
  readonly ending: PromiseWithResolvers<void>;
}

const held = new Map<string, HeldTurn>();
const heldTurn = (turnId: string): HeldTurn => {
  const turn = held.get(turnId);
  if (!turn) throw new Error(`no turn ${turnId}`);
  return turn;
};

let database: TestDatabase;
let worker: TurnWorker;
beforeAll(async () => {
  database = await createTestDatabase();
  const turns = createTurnRepository(database.db);
  const segments = createSegmentRepository(database.db);
  worker = await TurnWorker.start({
    ...new ScriptedActivities([]),
    callModel: async (input) => {
      const calls = [scriptedCall('FileSystemTool_list_files')];
      const result = answeredCall(
        input,
        input.step === 1 ? { texts: heldTurn(input.turnId).words, calls } : {},
      );
      await segments.store(input.turnId, attemptEpoch(input.step, 1), result.tail);
      return result;
    },
    executeTool: async (input) => {
      const { atTool, ending } = heldTurn(input.turnId);
      atTool.resolve();
      await ending.promise;
      return succeeded(input);
    },
    closeTurn: async (input) => void (await turns.close(input)),
  });
});
afterAll(async () => {
  for (const { ending } of held.values()) ending.resolve();
  await worker.stop();
  await database.close();
});

describeTurnSources('Temporal and Postgres', () => {
  const turns = createTurnRepository(database.db);
  const { client, taskQueue } = worker;
  return {
    sources: createTurnSources({ client, turns, taskQueue }),
    begin: async (words) => {
      const input = newTurnInput();
      const turn = { words, atTool: Promise.withResolvers<void>(), ending: Promise.withResolvers<void>() };
      held.set(input.turnId, turn);
      await turns.insert(input, 'hash', userMessage);
      await worker.startTurn(input);
      await turn.atTool.promise;
      return input.turnId;
    },
    end: async (turnId) => {
      heldTurn(turnId).ending.resolve();
      await client.workflow.getHandle(turnWorkflowId(turnId)).result();
    },
  };
});
