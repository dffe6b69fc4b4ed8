import type { TurnActivities } from '../../../activities/create-activities.ts';
import type {
  CallModelInput,
  CallModelResult,
} from '../../../src/contracts/payload/turn-activity-payloads.ts';
import type { TurnInput } from '../../../src/contracts/payload/turn-workflow-payloads.ts';
import {
  answeredCall,
  readTool,
  ScriptedActivities,
  succeeded,
  scriptedCall,
} from './scripted-activities.ts';
import { begins, scriptedWriting } from './scripted-writing.ts';

/** A turn whose history is stored, so that later workflow code can be replayed against it. */
export interface RecordedTurn {
  readonly name: string;
  readonly input: Partial<TurnInput>;
  readonly activities: TurnActivities;
}

const read = (path: string, id: string) => scriptedCall('read_file', { path }, id);
const budgets = {
  maxPhaseCycles: 3,
  maxDuplicateAttempts: 3,
  maxToolsPerToolPhase: 1,
  maxMalformedCalls: 3,
  maxRefusals: 3,
  maxNoProgress: 6,
  maxTurnMs: 600_000,
  maxTurnTokens: 65_536,
  debugShowToolResults: false,
} as const;

/** Returns activities in which the provider refuses for good. */
const refusedByProvider = (): TurnActivities => ({
  ...new ScriptedActivities([]),
  callModel: () =>
    Promise.resolve({ outcome: { kind: 'failed', code: 'model_auth', message: 'wrong key' }, tail: [] }),
});

/** Returns activities in which the user's cancel reached the model call over the live lane before any signal. */
const cancelledByUser = (): TurnActivities => ({
  ...new ScriptedActivities([]),
  callModel: (input) => {
    const { outcome, tail } = answeredCall(input, { texts: ['half an ans'] });
    return Promise.resolve({ outcome: { ...outcome, end: 'cancelled' } as typeof outcome, tail });
  },
});

/** Returns activities of a job that is polled twelve times, and reports each time only how long it has been at work. */
const pollsThatTick = (): TurnActivities => {
  const poll = (step: number) => ({ calls: [scriptedCall('job_status', { job: 'a' }, `c${step}`)] });
  const job_status = { ...readTool('job_status'), effect: 'poll' as const, pathArguments: [] };
  return {
    ...new ScriptedActivities([]),
    callModel: (input) => {
      const { outcome, tail } = answeredCall(
        input,
        input.step > 12 ? { texts: ['Still at it.'] } : poll(input.step),
      );
      return Promise.resolve({
        outcome: { ...outcome, declarations: { job_status } } as typeof outcome,
        tail,
      });
    },
    executeTool: (input) =>
      Promise.resolve(succeeded(input, { state: 'running', elapsed_ms: 1_000 * input.phaseIndex })),
  };
};

/** Returns activities in which the time of a model call is over after it has made two calls. */
const cutAfterTwoCalls = (): TurnActivities => ({
  ...new ScriptedActivities([]),
  callModel: (input) => {
    const isFirst = input.step === 1;
    const said = isFirst ? { calls: [read('a', 'c1'), read('b', 'c2')] } : { texts: ['In short.'] };
    const { outcome, tail } = answeredCall(input, said);
    const end = isFirst ? 'time' : 'stop';
    return Promise.resolve({ outcome: { ...outcome, end } as typeof outcome, tail });
  },
});

/** Returns activities whose budget pays for the first call, and not for the one after its tool. */
const overBudget = (): TurnActivities => ({
  ...new ScriptedActivities([]),
  callModel: (input) => {
    const isFirst = input.step === 1;
    const { outcome, tail } = answeredCall(input, isFirst ? { calls: [read('a', 'c1')] } : {});
    return Promise.resolve({
      outcome: (isFirst ? outcome : { ...outcome, end: 'cost' }) as typeof outcome,
      tail,
    });
  },
});

/**
 * Returns activities in which the prompts from the third call on leave out the result of the first tool, which then
 * runs again; the second tool does not.
 */
const resultsLeftOut = (): ScriptedActivities => {
  const scripted = new ScriptedActivities([
    { calls: [read('a', 'c1')] },
    { calls: [read('b', 'c2')] },
    { calls: [read('a', 'c3')] },
    { calls: [read('b', 'c4')] },
    { texts: ['Both read.'] },
  ]);
  const { callModel } = scripted;
  return Object.assign(scripted, {
    callModel: async (input: CallModelInput): Promise<CallModelResult> => {
      const { outcome, tail } = await callModel(input);
      const leftOut = input.step > 2 ? { leftOut: [{ step: 2, at: 1 }] } : {};
      return { outcome: { ...outcome, ...leftOut } as typeof outcome, tail };
    },
  });
};

/**
 * Returns one turn for each way through the protocol: `node test/workflows/record-histories.ts` plays and stores them.
 */
export const recordedTurns = (): RecordedTurn[] => [
  { name: 'answer', input: {}, activities: new ScriptedActivities([{ texts: ['Hello', ' there.'] }]) },
  {
    name: 'two-tools',
    input: {},
    activities: new ScriptedActivities([
      { texts: ['Looking. '], calls: [scriptedCall('list_files', { path: '.' }, 'c1')] },
      { calls: [read('README.md', 'c2')] },
      { texts: ['It says hello.'] },
    ]),
  },
  {
    name: 'duplicates-to-the-limit',
    input: {},
    activities: new ScriptedActivities([
      ...Array.from({ length: 4 }, (_, i) => ({ calls: [read('a', `c${i}`)] })),
      { texts: ['Forced answer.'] },
    ]),
  },
  {
    name: 'cycles-to-the-limit',
    input: { budgets: { ...budgets, maxPhaseCycles: 2 } },
    activities: new ScriptedActivities([
      { calls: [read('a', 'c1')] },
      { calls: [read('b', 'c2')] },
      { texts: ['Forced answer.'] },
    ]),
  },
  {
    name: 'standard-two-calls',
    input: { protocol: 'standard' },
    activities: new ScriptedActivities([
      { calls: [read('a', 'c1'), read('b', 'c2')] },
      { texts: ['Both read.'] },
    ]),
  },
  {
    name: 'too-many-calls',
    input: {},
    activities: new ScriptedActivities([
      { calls: Array.from({ length: 129 }, (_, i) => read(`${i}`, `c${i}`)) },
      { texts: ['Too many.'] },
    ]),
  },
  { name: 'cut-after-two-calls', input: {}, activities: cutAfterTwoCalls() },
  {
    name: 'polls-that-tick',
    input: { budgets: { ...budgets, maxPhaseCycles: 20 } },
    activities: pollsThatTick(),
  },
  {
    name: 'results-left-out',
    input: { budgets: { ...budgets, maxPhaseCycles: 4 } },
    activities: resultsLeftOut(),
  },
  { name: 'ended-by-cost', input: { isBudgeted: true }, activities: overBudget() },
  { name: 'failed', input: {}, activities: refusedByProvider() },
  { name: 'cancelled', input: {}, activities: cancelledByUser() },
  {
    name: 'write-session',
    input: {},
    activities: scriptedWriting([begins, { texts: ['one\n', 'two\n', 'DONE\n'] }, { texts: ['Written.'] }])
      .activities,
  },
  {
    name: 'write-session-in-parts',
    input: { writeSession: 'client' },
    activities: scriptedWriting([
      begins,
      { texts: ['line one of it\nline two of it\nli'], end: 'length' },
      { texts: ['ne three of it\n'] },
      { texts: ['DONE\n'] },
      { texts: ['Written.'] },
    ]).activities,
  },
];
