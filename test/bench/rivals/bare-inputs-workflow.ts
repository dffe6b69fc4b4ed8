import {
  CancellationScope,
  condition,
  defineSignal,
  defineUpdate,
  isCancellation,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';

/** The activities of the bare workflows. */
export interface BareInputActivities {
  writeNote(path: string): Promise<void>;
  talk(): Promise<void>;
}

export const replyUpdate = defineUpdate<void>('reply');
export const interruptSignal = defineSignal('interrupt');

const { writeNote } = proxyActivities<BareInputActivities>({ startToCloseTimeout: '1 minute' });
/** An activity learns of its cancellation from a heartbeat, and the SDK sends one at most every 0.8 of this timeout. */
const { talk } = proxyActivities<BareInputActivities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '1 second',
});

/** Waits for the update `reply`, then runs one activity. */
export const askedWorkflow = async (path: string): Promise<void> => {
  let allowed = false;
  setHandler(replyUpdate, () => {
    allowed = true;
  });
  await condition(() => allowed);
  await writeNote(path);
};

/** Talks with the model until it is interrupted. */
export const talkingWorkflow = async (): Promise<void> => {
  const talking = new CancellationScope();
  setHandler(interruptSignal, () => talking.cancel());
  await talking.run(talk).catch((error: unknown) => {
    if (!isCancellation(error)) throw error;
  });
};
