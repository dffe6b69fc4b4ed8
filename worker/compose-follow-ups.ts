import type { PromptService } from '../src/prompts/prompt-service.ts';
import { createStartCompaction } from '../src/turn-service/start-compaction.ts';
import { createStartNotifications } from '../src/notifications/start-notifications.ts';
import { createSummaryClaims } from '../src/db/conversations/summary-claims.ts';
import { createWebhookClient } from '../src/notifications/webhook-client.ts';
import { summaryLimits } from '../src/prompts/summary-prompt.ts';
import { windowOfModel } from '../src/prompts/window.ts';
import type { WorkerStores } from './compose-stores.ts';
import type { WorkerParts } from './worker-parts.ts';

/**
 * Builds the functions that start, send and count notifications about turns. `sendWebhook` is missing if no webhook is
 * configured.
 */
export const composeNotifications = (
  { config, client, log, metrics }: WorkerParts,
  { outbox }: Pick<WorkerStores, 'outbox'>,
) => {
  const { temporal, webhook } = config;
  const deps = {
    client,
    taskQueue: temporal.taskQueue,
    outbox,
    countGivenUp: () => metrics.countNotification('given_up'),
  };
  return {
    startNotifications: createStartNotifications(deps, log),
    ...(webhook && { sendWebhook: createWebhookClient(webhook) }),
    countNotification: metrics.countNotification,
  };
};

/** Builds the functions that start, bound and count the summaries of turns that prompts leave out. */
export const composeCompaction = (
  { config, db, client, log, metrics }: WorkerParts,
  prompts: PromptService,
) => {
  const claims = createSummaryClaims(db);
  const findTurnsToSummarise = (leafTurnId: string) => prompts.findTurnsToSummarise(leafTurnId);
  const deps = { client, taskQueue: config.temporal.taskQueue, findTurnsToSummarise, claims };
  return {
    summaryLimits: (model: string) => summaryLimits(windowOfModel(config.turns.window, model).tokens),
    countCompaction: metrics.countCompaction,
    startCompaction: createStartCompaction(deps, log),
  };
};
