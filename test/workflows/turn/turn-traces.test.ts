/**
 * Covers how the workflow's own traces reach the store, which is on the inputs of its activities; every task is
 * replayed.
 */
import { describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/activity';
import type { WorkerActivities } from '../../../worker/worker-options.ts';
import { ScriptedActivities, scriptedCall } from '../support/scripted-activities.ts';
import { newTurnInput } from '../../support/turn-worker.ts';
import { useTurnWorker } from '../../support/use-turn-worker.ts';
import { endOf } from '../../support/workflow-end.ts';

const turnsWith = useTurnWorker();

/** Plays a turn to its end. */
const play = async (activities: WorkerActivities, input = newTurnInput()): Promise<void> => {
  await endOf(await turnsWith(activities).startTurn(input));
};

const carriedBy = (inputs: ScriptedActivities['modelCalls' | 'toolCalls' | 'closes']) =>
  inputs.map(({ traces }) =>
    (traces?.records ?? []).map(({ type, phaseIndex }) => `${type} ${phaseIndex ?? '-'}`),
  );

describe('traces of a turn', () => {
  it('ride on the next activity, each on one, and the last on the close', async () => {
    const activities = new ScriptedActivities([
      { texts: ['Looking.'], calls: [scriptedCall('list_files', { path: '.' })] },
      { texts: ['Done.'] },
    ]);
    await play(activities);
    expect(carriedBy(activities.modelCalls)).toEqual([
      ['user_message -', 'orchestration_phase_start 0'],
      ['orchestration_phase_end 1', 'orchestration_phase_start 2'],
    ]);
    expect(carriedBy(activities.toolCalls)).toEqual([
      ['orchestration_phase_end 0', 'orchestration_phase_start 1'],
    ]);
    expect(carriedBy(activities.closes)).toEqual([['orchestration_phase_end 2', 'orion_response -']]);
    const ordinals = [...activities.modelCalls, ...activities.toolCalls].map(({ traces }) => traces?.ordinal);
    expect(ordinals).toEqual([3, 11, 7]);
  });

  it('contain no words of user or model', async () => {
    const activities = new ScriptedActivities([{ texts: ['canary of the model'] }]);
    await play(activities, newTurnInput({ content: 'canary of the user' }));
    const carried = [...activities.modelCalls, ...activities.closes].map(({ traces }) => traces);
    expect(JSON.stringify(carried)).toContain('user_message');
    expect(JSON.stringify(carried)).not.toContain('canary');
  });

  it('go on to the close when a model call is lost, with a record of the loss', async () => {
    const scripted = new ScriptedActivities([]);
    await play({
      ...scripted,
      callModel: () => Promise.reject(ApplicationFailure.nonRetryable('worker lost')),
    });
    expect(carriedBy(scripted.closes)).toEqual([
      [
        'user_message -',
        'orchestration_phase_start 0',
        'llm_call 0',
        'llm_result 0',
        // The turn failed because of this error.
        'system_error 0',
      ],
    ]);
    expect(scripted.closes[0]?.traces?.records[3]).toMatchObject({ key: 'llm_result:1', summary: 'lost' });
  });

  it('go on to the next model call when a tool execution is lost', async () => {
    const scripted = new ScriptedActivities([{ calls: [scriptedCall('write_to_file')] }, { texts: ['ok'] }]);
    await play({
      ...scripted,
      executeTool: () => Promise.reject(ApplicationFailure.nonRetryable('worker lost')),
    });
    expect(carriedBy(scripted.modelCalls)[1]).toEqual([
      'orchestration_phase_end 0',
      'orchestration_phase_start 1',
      'tool_call 1',
      'tool_result 1',
      'orchestration_phase_end 1',
      'orchestration_phase_start 2',
    ]);
    const lost = scripted.modelCalls[1]?.traces?.records[3];
    expect(lost).toMatchObject({ key: 'tool_result:1.0', error: 'OUTCOME_UNKNOWN' });
  });
});
