import { afterAll, beforeAll } from '@jest/globals';
import type { TurnActivities } from '../../activities/create-activities.ts';
import type { InputActivities } from '../../activities/inputs/input-activities.ts';
import type { WorkerActivities } from '../../worker/worker-options.ts';
import { TurnWorker } from './turn-worker.ts';

type ScriptedActivities = TurnActivities & InputActivities;

/** Starts turns, each of which plays the activities that it was started with. */
export interface TurnStarter extends Pick<TurnWorker, 'client' | 'taskQueue' | 'startTurn' | 'resetToStart'> {
  /** Makes the turn with that id use the activities of this starter, even if something else starts it. */
  takes(turnId: string): void;
}

/** Returns activities for all turns, each played by the script of its turn. */
export const activitiesByTurn = (scripts: ReadonlyMap<string, WorkerActivities>): ScriptedActivities => {
  const played = <Name extends keyof ScriptedActivities>(name: Name): ScriptedActivities[Name] =>
    ((input: { readonly turnId: string }) => {
      const script = scripts.get(input.turnId)?.[name] as ((input: object) => unknown) | undefined;
      if (!script) throw new Error(`expected a script of ${name} for turn ${input.turnId}, found none`);
      return script(input);
    }) as ScriptedActivities[Name];
  return {
    callModel: played('callModel'),
    executeTool: played('executeTool'),
    keepWriteSession: played('keepWriteSession'),
    closeTurn: played('closeTurn'),
    prepareInput: played('prepareInput'),
    checkInput: played('checkInput'),
    announceInput: played('announceInput'),
  };
};

/**
 * Gives the tests of a file one worker that replays each turn from its first event at every task, unless
 * `maxCachedWorkflows` lets it keep some; starting a worker for each test takes 0.4 s of processor time. Returns a
 * function that gives turns these activities.
 */
export const useTurnWorker = (maxCachedWorkflows = 0): ((activities: WorkerActivities) => TurnStarter) => {
  const scripts = new Map<string, WorkerActivities>();
  let worker: TurnWorker;
  beforeAll(async () => {
    worker = await TurnWorker.start(activitiesByTurn(scripts), { maxCachedWorkflows });
  });
  afterAll(() => worker?.stop());
  return (activities) => {
    const takes = (turnId: string): void => void scripts.set(turnId, activities);
    return {
      client: worker.client,
      taskQueue: worker.taskQueue,
      takes,
      startTurn(input) {
        takes(input.turnId);
        return worker.startTurn(input);
      },
      resetToStart: (input) => worker.resetToStart(input),
    };
  };
};
