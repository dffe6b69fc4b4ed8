import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { ServiceConfig } from '../src/config/config.ts';
import type { Database } from '../src/db/connection/database.ts';
import type { ModelClientOptions } from '../src/llm/openai-client.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

/** The connections and services that the worker process opens before it builds its activities. */
export interface WorkerParts {
  /** The settings. If they name no model, the base URL of the demo model has been added. */
  readonly config: ServiceConfig & { readonly model: ServiceConfig['model'] & ModelClientOptions };
  readonly db: Database;
  /** The pool of the traces. It is separate, so that slow traces cannot take the connections of the turns. */
  readonly traceDb: Database;
  /**
   * The client that starts, signals and queries workflows. It does not use the worker's own connection, whose retries
   * differ.
   */
  readonly client: Client;
  /** Resolves to true if the namespace has Orion's search attributes. Rejects while Temporal cannot be reached. */
  readonly hasSearchAttributes: () => Promise<boolean>;
  readonly metrics: WorkerMetrics;
  /** The environment of this process. Commands get only the part of it that the settings allow. */
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
}
