import type { WorkflowHandle } from '@temporalio/client';
import type {
  CallModelInput,
  CallModelResult,
} from '../../../src/contracts/payload/turn-activity-payloads.ts';
import type { SteerRequest } from '../../../src/contracts/inputs/steering.ts';
import { cancelTurnSignal, steerSignal, steerUpdate } from '../../../src/temporal/turn-messages.ts';
import type { RecordedInputs } from './recorded-inputs.ts';
import { answeredCall, untilCancelled, tailOf } from './scripted-activities.ts';
import { asksBeforeWrites, scriptedInputs, writeCall } from './scripted-inputs.ts';

const steer = (messageId: string, when: SteerRequest['when'] = 'boundary'): SteerRequest => ({
  messageId,
  content: `say ${messageId}`,
  when,
});

const say = (handle: WorkflowHandle, request: SteerRequest): Promise<unknown> =>
  handle.executeUpdate(steerUpdate, { args: [request] });

/** Returns a turn that asks before it writes one file, and gets messages while it waits. */
const whileItWaits = (name: string, play: (handle: WorkflowHandle) => Promise<unknown>): RecordedInputs => {
  const world = scriptedInputs([{ calls: [writeCall('a.md')] }, { texts: ['Done.'] }]);
  return {
    name,
    input: { inputs: asksBeforeWrites() },
    activities: world.activities,
    play: async (handle) => {
      await world.nextRequest();
      await play(handle);
    },
  };
};

/** Returns a turn whose first model call goes on until a message interrupts it. */
const interrupted = (name: string): RecordedInputs => {
  const world = scriptedInputs([{}, { texts: ['Done.'] }]);
  const begun = Promise.withResolvers<void>();
  const callModel = async (input: CallModelInput): Promise<CallModelResult> => {
    if (input.step > 1) return world.activities.callModel(input);
    begun.resolve();
    await untilCancelled();
    const { outcome } = answeredCall(input, {});
    const ended = outcome.kind === 'ended' ? { ...outcome, end: 'cancelled' as const } : outcome;
    return { outcome: ended, tail: tailOf(input, ['Fir']) };
  };
  return {
    name,
    input: { heartbeatTimeoutMs: 1_000 },
    activities: { ...world.activities, callModel },
    play: async (handle) => {
      await begun.promise;
      await say(handle, steer('patient'));
      await say(handle, steer('patient', 'now'));
    },
  };
};

/**
 * Returns one turn for each way in which a message can end: `node test/workflows/record-histories.ts` plays and stores
 * them.
 */
export const recordedSteers = (): RecordedInputs[] => [
  interrupted('interrupted-call'),
  whileItWaits('interrupted-request', async (handle) => {
    await say(handle, steer('patient'));
    await handle.signal(steerSignal, steer('hasty', 'now'));
  }),
  whileItWaits('handed-back', async (handle) => {
    await say(handle, steer('late'));
    await handle.signal(cancelTurnSignal);
  }),
];
