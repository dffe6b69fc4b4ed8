import type { ServiceConfig } from '../src/config/config.ts';
import { startDemoModel } from '../src/demo-model/demo-model.ts';
import type { ModelClientOptions } from '../src/llm/openai-client.ts';

/** A model that can be asked, until it is closed. */
export interface OpenModel {
  readonly options: ServiceConfig['model'] & ModelClientOptions;
  close(): void;
}

/**
 * Opens the model that the settings name. Without one the worker brings the demo model, on loopback at a free port: it
 * runs wherever the worker does, and starts again with it.
 */
export const openModel = async (settings: ServiceConfig['model']): Promise<OpenModel> => {
  if (settings.kind === 'provider') return { options: settings, close() {} };
  const { port, close } = await startDemoModel();
  return { options: { ...settings, baseUrl: `http://127.0.0.1:${port}/v1` }, close };
};
