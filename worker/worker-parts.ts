import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { ServiceConfig } from '../src/config/config.ts';
import type { Database } from '../src/db/connection/database.ts';
import type { ModelClientOptions } from '../src/llm/openai-client.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

/** The connections and services that the process has opened before its activities are built. */
export interface WorkerParts {
  /** The settings, with the address of the demo model, which they do not know by themselves. */
  readonly config: ServiceConfig & { readonly model: ServiceConfig['model'] & ModelClientOptions };
  readonly db: Database;
  /**
   * Traces have a pool of their own, since a store that is slow with them must not take the connections of the turns.
   */
  readonly traceDb: Database;
  /** Signals the workflows. Not the worker's own connection, whose retries differ. */
  readonly client: Client;
  /** Tells if the namespace has Orion's search attributes; throws while Temporal cannot be reached. */
  readonly hasSearchAttributes: () => Promise<boolean>;
  readonly metrics: WorkerMetrics;
  /** Environment of this process; commands get the part of it that they are allowed. */
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Logger;
}
