import { proxyActivities } from '@temporalio/workflow';

const activities = proxyActivities<{ pipeModel(content: string): Promise<void> }>({
  startToCloseTimeout: '5 minutes',
});

export const bareWorkflow = async (content: string): Promise<void> => {
  await activities.pipeModel(content);
};
