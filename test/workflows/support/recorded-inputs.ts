import type { WorkflowHandle } from '@temporalio/client';
import { budgetsSchema } from '../../../src/contracts/turn/budgets.ts';
import { inputIdOf } from '../../../src/contracts/inputs/input-id.ts';
import type { TurnInput } from '../../../src/contracts/payload/turn-workflow-payloads.ts';
import { cancelTurnSignal, replySignal, replyUpdate } from '../../../src/temporal/turn-messages.ts';
import type { WorkerActivities } from '../../../worker/worker-options.ts';
import { type ScriptedAnswer, scriptedCall } from './scripted-activities.ts';
import { beginsFile, scriptedCommits } from './scripted-commits.ts';
import {
  ARGS_HASH,
  asksAtLimits,
  asksBeforeWrites,
  questionCall,
  scriptedInputs,
  writeCall,
} from './scripted-inputs.ts';

/** A turn that asks, whose history is stored, so that later workflow code can be replayed against it. */
export interface RecordedInputs {
  readonly name: string;
  readonly input: Partial<TurnInput>;
  readonly activities: WorkerActivities;
  /** Does what people do until the turn ends. */
  play(handle: WorkflowHandle): Promise<unknown>;
}

const writes: readonly ScriptedAnswer[] = [
  { calls: [writeCall('a.md')] },
  { calls: [writeCall('b.md', 'c2')] },
  { texts: ['Done.'] },
];
const allow = { reply: 'allow', argsHash: ARGS_HASH } as const;
const idOf = ({ workflowId }: WorkflowHandle, n: number): string =>
  inputIdOf(workflowId.slice('turn/'.length), n);

const recorded = (
  name: string,
  play: (world: ReturnType<typeof scriptedInputs>, handle: WorkflowHandle) => Promise<unknown>,
  input: Partial<TurnInput> = { inputs: asksBeforeWrites() },
  answers: readonly ScriptedAnswer[] = writes,
): RecordedInputs => {
  const world = scriptedInputs(answers);
  return { name, input, activities: world.activities, play: (handle) => play(world, handle) };
};

/** A turn that writes two files and asks before each. */
const recordedCommits = (): RecordedInputs => {
  const { activities, nextRequest } = scriptedCommits([
    beginsFile('a.md'),
    { texts: ['one\nDONE\n'] },
    beginsFile('b.md'),
    { texts: ['two\nDONE\n'] },
    { texts: ['Done.'] },
  ]);
  const play = async (handle: WorkflowHandle): Promise<void> => {
    await nextRequest();
    await handle.executeUpdate(replyUpdate, { args: [{ inputId: idOf(handle, 1), ...allow }] });
    await nextRequest();
    await handle.signal(replySignal, { inputId: idOf(handle, 2), reply: 'deny', note: 'no' });
  };
  return { name: 'commits-allowed-and-denied', input: { inputs: asksBeforeWrites() }, activities, play };
};

/**
 * Returns one turn for each way in which a request is resolved: `node test/workflows/record-histories.ts` plays and
 * stores them.
 */
export const recordedInputs = (): RecordedInputs[] => [
  recorded('inputs-allowed-and-denied', async ({ nextRequest }, handle) => {
    await nextRequest();
    await handle.executeUpdate(replyUpdate, { args: [{ inputId: idOf(handle, 1), ...allow }] });
    await nextRequest();
    await handle.signal(replySignal, { inputId: idOf(handle, 2), reply: 'deny', note: 'no' });
  }),
  recorded('inputs-edited-and-repeated', async ({ nextRequest }, handle) => {
    await nextRequest();
    const inputId = idOf(handle, 1);
    const edit = { ...allow, inputId, reply: 'edit', arguments: { path: 'c.md', content: 'y' } } as const;
    await handle.executeUpdate(replyUpdate, { args: [edit] });
    await handle.executeUpdate(replyUpdate, { args: [edit] });
    await nextRequest();
    const second = { ...allow, inputId: idOf(handle, 2), reply: 'allow_turn' } as const;
    await handle.executeUpdate(replyUpdate, { args: [second] });
  }),
  recorded('inputs-expired', () => Promise.resolve(), { inputs: asksBeforeWrites({ expiryMs: 1_000 }) }),
  recorded('inputs-cancelled', async ({ nextRequest }, handle) => {
    await nextRequest();
    await handle.signal(cancelTurnSignal);
  }),
  recorded(
    'inputs-standard',
    async ({ nextRequest }, handle) => {
      await nextRequest();
      const first = { ...allow, inputId: idOf(handle, 1), reply: 'allow_turn' } as const;
      await handle.executeUpdate(replyUpdate, { args: [first] });
    },
    { inputs: asksBeforeWrites(), protocol: 'standard' },
  ),
  recorded(
    'question-answered-and-denied',
    async ({ nextRequest }, handle) => {
      await nextRequest();
      await handle.executeUpdate(replyUpdate, {
        args: [{ inputId: idOf(handle, 1), reply: 'answer', content: 'Blue.' }],
      });
      await nextRequest();
      await handle.signal(replySignal, { inputId: idOf(handle, 2), reply: 'deny', note: 'no' });
    },
    { inputs: asksAtLimits({ accepts: ['question'] }) },
    [
      { calls: [questionCall('Which colour?')] },
      { calls: [questionCall('Which size?', 'c2')] },
      { texts: ['Done.'] },
    ],
  ),
  recorded(
    'client-tool-run-and-denied',
    async ({ nextRequest }, handle) => {
      await nextRequest();
      await handle.executeUpdate(replyUpdate, {
        args: [{ inputId: idOf(handle, 1), reply: 'result', ok: true, content: 'clicked' }],
      });
      await nextRequest();
      await handle.signal(replySignal, { inputId: idOf(handle, 2), reply: 'deny' });
    },
    { inputs: asksAtLimits({ accepts: ['client_tool'] }) },
    [
      { calls: [scriptedCall('app_click', { n: 1 })] },
      { calls: [scriptedCall('app_click', { n: 2 }, 'c2')] },
      { texts: ['Done.'] },
    ],
  ),
  recorded(
    'limit-lifted-and-kept',
    async ({ nextRequest }, handle) => {
      await nextRequest();
      await handle.executeUpdate(replyUpdate, {
        args: [{ inputId: idOf(handle, 1), reply: 'keep_going' }],
      });
      await nextRequest();
      await handle.signal(replySignal, { inputId: idOf(handle, 2), reply: 'answer_now' });
    },
    { inputs: asksAtLimits(), budgets: budgetsSchema.parse({ maxPhaseCycles: 1 }) },
  ),
  recordedCommits(),
];
