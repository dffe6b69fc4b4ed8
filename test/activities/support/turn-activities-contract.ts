import { describe, expect, it } from '@jest/globals';
import type { TurnActivities } from '../../../activities/create-activities.ts';
import type {
  CallModelInput,
  CallModelResult,
} from '../../../src/contracts/payload/turn-activity-payloads.ts';
import { attemptEpoch } from '../../../src/contracts/wire/event-id.ts';
import { expandBatch, type LoggedEvent } from '../../../src/protocol/event-log/event-log.ts';
import { toolCall } from '../../support/fake-ports.ts';
import { toolResultShape } from '../../tools/support/tool-result-shape.ts';
import type { ScriptedAnswer } from '../../workflows/support/scripted-activities.ts';
import { modelInput, toolInput } from './activity-inputs.ts';

/** The activities as the workflow of a turn calls them, and a model whose next answer the test decides. */
export interface TurnActivitiesUnderContract {
  readonly activities: Pick<TurnActivities, 'callModel' | 'executeTool'>;
  /** The events that the last model call has sent by signal before it returned its result. */
  readonly signalled: readonly LoggedEvent[];
}

/** A tool that both implementations offer; it only reads. */
export const READ_TOOL = 'FileSystemTool_read_file';

/**
 * Describes what the workflow of a turn relies on. `open` is called once in each test, with the answer that the model
 * gives.
 */
export const describeTurnActivities = (
  name: string,
  open: (answer: ScriptedAnswer) => TurnActivitiesUnderContract,
): void => {
  /** Calls the model once; resolves to all events that the call has sent, and to its result. */
  const call = async (answer: ScriptedAnswer, input: CallModelInput) => {
    const inUse = open(answer);
    const result: CallModelResult = await inUse.activities.callModel(input);
    return { result, said: [...inUse.signalled, ...result.tail.flatMap(expandBatch)] };
  };
  const textOf = (events: readonly LoggedEvent[]): string =>
    events.map(({ event }) => (event.type === 'chunk' ? event.content : '')).join('');

  describe(`activities of a turn: ${name}`, () => {
    it('a model call numbers its events from where the workflow is, under the epoch of its first attempt', async () => {
      const input = modelInput({ fromSeq: 5, after: '0-4' });
      const { said, result } = await call({ texts: ['All is ', 'well. '] }, input);
      expect(textOf(said)).toBe('All is well. ');
      const epoch = attemptEpoch(input.step, 1);
      expect(said.map(({ id }) => id)).toEqual(said.map((_, i) => ({ epoch, seq: 5 + i })));
      expect(said[0]?.after).toBe('0-4');
      const usage = { promptTokens: expect.any(Number), completionTokens: expect.any(Number) };
      expect(result.outcome).toEqual({ kind: 'ended', end: 'stop', calls: [], declarations: {}, usage });
    });

    it('a tool call is an event after the text, and is in the result with what the tool declares', async () => {
      const calls = [toolCall(READ_TOOL, { path: 'a.md' }, 'call-1')];
      const { said, result } = await call({ texts: ['I look. '], calls }, modelInput());
      expect(said.at(-1)?.event).toEqual({ type: 'tool_calls', calls });
      expect(result.outcome).toMatchObject({ kind: 'ended', end: 'tool_calls', calls });
      const declared = { [READ_TOOL]: { name: READ_TOOL, effect: 'read', pathArguments: ['path'] } };
      expect(result.outcome).toMatchObject({ declarations: declared });
    });

    it('a model that says nothing has no events', async () => {
      const { said, result } = await call({}, modelInput());
      expect(said).toEqual([]);
      expect(result).toMatchObject({ outcome: { kind: 'ended', calls: [] }, tail: [] });
    });

    it('a tool returns the result of its call, under the name that people read', async () => {
      const { activities } = open({});
      const result = await activities.executeTool(toolInput({ call: toolCall(READ_TOOL, {}, 'call-7') }));
      expect(toolResultShape.parse(result)).toEqual(result);
      expect(result).toMatchObject({
        toolCallId: 'call-7',
        toolName: 'FileSystemTool.read_file',
        success: true,
        attempts: 1,
      });
      expect(new Date(result.timestamp).toISOString()).toBe(result.timestamp);
    });
  });
};
