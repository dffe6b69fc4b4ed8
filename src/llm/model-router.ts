import type { ModelConnection } from '../config/settings/model-provider.ts';
import type { ModelClient } from './model-client.ts';
import { createModelClient, type ModelClientOptions } from './openai-client.ts';

/** How a model of the models file is reached. */
interface RoutedModel {
  readonly providerName: string;
  /** The connection. Undefined when the model is reached like models that have no entry here. */
  readonly connection: ModelConnection | undefined;
}

export interface ModelRouterOptions extends ModelClientOptions {
  /** The models of the models file, by the names that turns use. */
  readonly described: ReadonlyMap<string, RoutedModel>;
}

/**
 * Creates a client that calls each model at its address, under the name that its provider knows. A model in `described`
 * that has a connection is called over that connection, with its key. All other models are called over the connection
 * in the options. Throws when an address or key cannot be used at all.
 */
export const createModelRouter = ({ described, ...options }: ModelRouterOptions): ModelClient => {
  const shared = createModelClient(options);
  const routes = new Map(
    [...described].map(([name, { providerName, connection }]) => {
      const client = connection === undefined ? shared : createModelClient({ ...options, ...connection });
      return [name, { client, providerName }];
    }),
  );
  return {
    stream: (request, signal, onDelta) => {
      const { client, providerName } = routes.get(request.model) ?? {
        client: shared,
        providerName: request.model,
      };
      return client.stream({ ...request, model: providerName }, signal, onDelta);
    },
  };
};
