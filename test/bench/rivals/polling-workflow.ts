import { defineQuery, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import type { streamModel } from './polling-activity.ts';
import type { Progress } from './polling-settings.ts';

export const appendSignal = defineSignal<[string]>('append');
/** The query for the text from this character on. */
export const readQuery = defineQuery<Progress, [number]>('read');

const activities = proxyActivities<{ streamModel: ReturnType<typeof streamModel> }>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '10 seconds',
});

export const pollingWorkflow = async (content: string): Promise<void> => {
  let text = '';
  let done = false;
  setHandler(appendSignal, (piece) => {
    text += piece;
  });
  setHandler(readQuery, (from) => ({ text: text.slice(from), done }));
  await activities.streamModel(content);
  done = true;
};
