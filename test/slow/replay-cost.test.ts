/**
 * Measures the processor time in which the largest turns are replayed, beside the time that one workflow task has for
 * it (docs/decisions/workflow-task-timeout.md).
 */
import { expect, it } from '@jest/globals';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import type {
  CallModelInput,
  CallModelResult,
  ExecuteToolInput,
} from '../../src/contracts/payload/turn-activity-payloads.ts';
import type { TurnInput } from '../../src/contracts/payload/turn-workflow-payloads.ts';
import { budgetsSchema } from '../../src/contracts/turn/budgets.ts';
import { createTemporalClient } from '../../src/temporal/temporal-client.ts';
import { appendEventsSignal, steerUpdate } from '../../src/temporal/turn-messages.ts';
import { workflowTaskTimeoutMs } from '../../src/turn-service/turn-start-options.ts';
import { temporalAddress, newTurnInput, TurnWorker, workflowBundle } from '../support/turn-worker.ts';
import {
  answeredCall,
  ScriptedActivities,
  succeeded,
  scriptedCall,
} from '../workflows/support/scripted-activities.ts';

interface Shape extends Partial<TurnInput> {
  /** The number of model calls before the last one, each with one tool. */
  readonly calls: number;
  /** A message comes during every `steerEvery`th call. */
  readonly steerEvery: number;
  /** The number of batches of words that come by signal in the last call. */
  readonly batches: number;
}

const RESULT_BYTES = 31 * 1024;

const unlessRefused = (error: unknown): void => {
  if (!(error instanceof WorkflowUpdateFailedError)) throw error;
};

const historyOf = async ({ calls, steerEvery, batches, ...fields }: Shape) => {
  const input = newTurnInput({ heartbeatTimeoutMs: 600_000, ...fields });
  const { client, connection } = createTemporalClient({ address: temporalAddress() }, 'default');
  const handle = client.workflow.getHandle(`turn/${input.turnId}`);
  const say = async (call: CallModelInput): Promise<CallModelResult> => {
    const { step, fromSeq, after } = call;
    if (step % steerEvery === 0) {
      const message = { messageId: `m${step}`, content: 'x'.repeat(2_500), when: 'boundary' as const };
      // Messages are refused from the point at which the turn is too large for another one.
      await handle.executeUpdate(steerUpdate, { args: [message] }).catch(unlessRefused);
    }
    const texts = Array.from({ length: 100 }, () => 'four');
    if (step <= calls) {
      return answeredCall(call, {
        texts,
        calls: [scriptedCall('read_file', { path: `f${step}` }, `c${step}`)],
      });
    }
    for (let n = 0; n < batches; n += 1) {
      const follows = n === 0 ? { after } : {};
      await handle.signal(appendEventsSignal, [
        { epoch: 100 * step + 1, seq: fromSeq + n * 100, ...follows, events: texts },
      ]);
    }
    return answeredCall(call, batches > 0 ? {} : { texts });
  };
  const executeTool = (call: ExecuteToolInput) =>
    Promise.resolve(succeeded(call, `${call.call.id} `.padEnd(RESULT_BYTES, 'z')));
  const worker = await TurnWorker.start(
    { ...new ScriptedActivities([]), callModel: say, executeTool },
    { maxCachedWorkflows: 10 },
  );
  await (await worker.startTurn(input)).result();
  const history = await handle.fetchHistory();
  await worker.stop();
  await connection.close();
  return { input, history };
};

const hour = { maxTurnMs: 3_600_000, maxTurnTokens: 200_000 };

it.each<[string, Shape]>([
  ['50 tools, 17 messages', { calls: 50, steerEvery: 3, batches: 0 }],
  [
    'as many messages as a standard turn takes',
    { protocol: 'standard', calls: 199, steerEvery: 4, batches: 0 },
  ],
  [
    'an hour of batches',
    { calls: 0, steerEvery: Infinity, batches: 1_500, budgets: budgetsSchema.parse(hour) },
  ],
])(
  '%s: a replay leaves room in its task',
  async (name, shape) => {
    const { input, history } = await historyOf(shape);
    const before = process.cpuUsage();
    await Worker.runReplayHistory({ workflowBundle: { codePath: workflowBundle() } }, history);
    const { user, system } = process.cpuUsage(before);
    const ms = Math.round((user + system) / 1_000);
    const tasks = (history.events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes).length;
    const timeoutMs = workflowTaskTimeoutMs(input);
    process.stdout.write(`${name}: ${tasks} tasks, ${ms} ms of a processor, timeout ${timeoutMs} ms\n`);
    expect(ms).toBeLessThan(timeoutMs / 2);
  },
  180_000,
);
