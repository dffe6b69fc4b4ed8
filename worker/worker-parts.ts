import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { ServiceConfig } from '../src/config/config.ts';
import type { Database } from '../src/db/connection/database.ts';
import type { ModelClientOptions } from '../src/llm/openai-client.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

/** The connections and services that the process has opened before its activities are built. */
export interface WorkerParts {
  /** The settings know no address of the demo model: with one. */
  readonly config: ServiceConfig & { readonly model: ServiceConfig['model'] & ModelClientOptions };
  readonly db: Database;
  /** A pool of their own: traces that cannot be stored must not take the connections of the turns. */
  readonly traceDb: Database;
  /** Signals the workflows; not the worker's own connection, whose retries are others. */
  readonly client: Client;
  /** Tells if the namespace has Orion's search attributes; throws while Temporal cannot be reached. */
  readonly hasSearchAttributes: () => Promise<boolean>;
  readonly metrics: WorkerMetrics;
  /** Environment of this process: commands get what they are allowed of it. */
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Logger;
}
