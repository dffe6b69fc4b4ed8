/**
 * Covers a reply whose arguments are being checked while its turn is cancelled. Temporal hands over the cancel and the
 * end of the check in one workflow task, because no worker takes tasks while both arrive.
 */
import { afterEach, expect, it } from '@jest/globals';
import { CompleteAsyncError, Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import type { CheckInputRequestResult } from '../../../src/contracts/payload/input-activity-payloads.ts';
import { inputIdOf } from '../../../src/contracts/inputs/input-id.ts';
import { cancelTurnSignal, replyUpdate } from '../../../src/temporal/turn-messages.ts';
import { newTurnInput, TurnWorker } from '../../support/turn-worker.ts';
import { endOf } from '../../support/workflow-end.ts';
import { refusalOf } from '../support/asking-turn.ts';
import {
  ARGS_HASH,
  asksBeforeWrites,
  EDITED_HASH,
  scriptedInputs,
  writeCall,
} from '../support/scripted-inputs.ts';

const workers: TurnWorker[] = [];
const begin = async (...options: Parameters<typeof TurnWorker.start>): Promise<TurnWorker> => {
  const worker = await TurnWorker.start(...options);
  workers.push(worker);
  return worker;
};
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
});

/** Resolves to the names of the events from the cancel up to the start of the next workflow task. */
const taskOfCancel = async (handle: WorkflowHandle): Promise<string[]> => {
  const { events = [] } = await handle.fetchHistory();
  const names = (events ?? []).map(
    (event) => Object.keys(event).find((key) => key.endsWith('Attributes')) ?? '',
  );
  const cancelled = names.lastIndexOf('workflowExecutionSignaledEventAttributes');
  return names.slice(cancelled, names.indexOf('workflowTaskStartedEventAttributes', cancelled));
};

it('an edit is refused when its check ends in the workflow task that brings the cancel', async () => {
  const world = scriptedInputs([{ calls: [writeCall('a.md')] }, { texts: ['Done.'] }]);
  const checked = Promise.withResolvers<Uint8Array>();
  const checkInput = (): Promise<CheckInputRequestResult> => {
    checked.resolve(Context.current().info.taskToken);
    // The test completes the activity itself, whatever became of the worker.
    throw new CompleteAsyncError();
  };
  const activities = { ...world.activities, checkInput };
  const first = await TurnWorker.start(activities);
  // This worker only lends its connection, which survives the turn's own worker.
  const { client } = await begin({});
  const input = newTurnInput({ inputs: asksBeforeWrites() });
  const { workflowId } = await first.startTurn(input);
  const handle = client.workflow.getHandle(workflowId);
  await world.nextRequest();
  const edit = refusalOf(
    handle.executeUpdate(replyUpdate, {
      args: [
        {
          inputId: inputIdOf(input.turnId, 1),
          reply: 'edit',
          argsHash: ARGS_HASH,
          arguments: { path: 'b.md', content: 'y' },
        },
      ],
    }),
  );
  const token = await checked.promise;
  await first.stop();
  await handle.signal(cancelTurnSignal);
  await client.activity.complete(token, { kind: 'passes', argsHash: EDITED_HASH });
  await begin(activities, { taskQueue: first.taskQueue });
  expect(await edit).toBe('input_closed');
  expect(await endOf(handle)).toEqual({ status: 'Canceled' });
  expect(world.scripted.toolCalls).toEqual([]);
  expect(world.scripted.closes[0]?.terminal).toMatchObject({ status: 'cancelled' });
  expect(await taskOfCancel(handle)).toContain('activityTaskCompletedEventAttributes');
});
