import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { createAppendEvents } from '../activities/append-events.ts';
import { createAskTemporal } from '../activities/temporal-patience.ts';
import { createActivities } from '../activities/create-activities.ts';
import type { Activities } from '../activities/create-activities.ts';
import type { ServiceConfig } from '../src/config/config.ts';
import { createContextService } from '../src/context/context-service.ts';
import { loadSystemPrompt } from '../src/context/system-prompt.ts';
import { createContextRepository } from '../src/db/context-repository.ts';
import type { Database } from '../src/db/database.ts';
import { createMessageRepository } from '../src/db/message-repository.ts';
import { createSegmentRepository } from '../src/db/segment-repository.ts';
import { createToolLedger } from '../src/db/tool-ledger.ts';
import { createTurnRepository } from '../src/db/turn-repository.ts';
import { createLaneTransport } from '../src/live/lane-transport.ts';
import { createModelClient } from '../src/llm/openai-client.ts';
import { createBuiltInTools } from '../src/tools/built-in-set.ts';
import { createToolRegistry } from '../src/tools/registry.ts';
import { createToolRunner } from '../src/tools/runner.ts';
import { openWorkspace } from '../src/tools/workspace/workspace.ts';

export interface WorkerParts {
  readonly config: ServiceConfig;
  readonly db: Database;
  /** Signals the workflows; not the worker's own connection, whose retries are others. */
  readonly client: Client;
  readonly log: Logger;
}

/** Builds the activities of a worker over real stores, tools and model. */
export const composeActivities = async ({
  config,
  db,
  client,
  log,
}: WorkerParts): Promise<{ activities: Activities; close(): Promise<void> }> => {
  const workspace = await openWorkspace({ root: config.workspace, projectFolders: config.projectFolders });
  const registry = createToolRegistry(createBuiltInTools(workspace));
  const lane = config.live.enabled ? createLaneTransport({ token: config.live.token, log }) : undefined;
  const { history } = createMessageRepository(db);
  const context = createContextService({
    prompt: await loadSystemPrompt(),
    history,
    historyLimit: config.turns.historyLimit,
  });
  const activities = createActivities({
    contexts: createContextRepository(db),
    segments: createSegmentRepository(db),
    turns: createTurnRepository(db),
    appendEvents: createAppendEvents(client),
    askTemporal: createAskTemporal(client),
    buildContext: ({ projectId, conversationId, turnId, mode }) =>
      context.buildContext(projectId, conversationId, { turnId, mode }),
    model: createModelClient(config.model),
    registry,
    runner: createToolRunner({ registry, ledger: createToolLedger(db), clock: { now: () => Date.now() } }),
    ...(lane ? { lane } : {}),
  });
  const close = async (): Promise<void> => {
    lane?.close();
    await workspace.close();
  };
  return { activities, close };
};
