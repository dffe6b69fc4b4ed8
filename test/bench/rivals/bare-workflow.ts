import { proxyActivities } from '@temporalio/workflow';

const activities = proxyActivities<{ pipeModel(content: string): Promise<void> }>({
  startToCloseTimeout: '5 minutes',
});

export async function bareWorkflow(content: string): Promise<void> {
  await activities.pipeModel(content);
}
