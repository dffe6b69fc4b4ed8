import type { ServiceConfig } from '../src/config/config.ts';
import { startDemoModel } from '../src/demo-model/demo-model.ts';
import type { ModelClientOptions } from '../src/llm/openai-client.ts';

/** A model that can be called until it is closed. */
export interface OpenModel {
  readonly options: ServiceConfig['model'] & ModelClientOptions;
  /** Stops the demo model, if it was started. */
  close(): void;
}

/**
 * Returns the model that the settings name. If they name none, starts the demo model in this process, on loopback at a
 * free port. Every worker then has its own, which restarts together with the worker.
 */
export const openModel = async (settings: ServiceConfig['model']): Promise<OpenModel> => {
  if (settings.kind === 'provider') return { options: settings, close() {} };
  const { port, close } = await startDemoModel();
  return { options: { ...settings, baseUrl: `http://127.0.0.1:${port}/v1` }, close };
};
