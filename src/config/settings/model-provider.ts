/** Names of the providers that Orion adapts to. */
export const MODEL_PROVIDERS = ['openai', 'deepseek', 'openrouter', 'vllm', 'ollama', 'generic'] as const;
/** A provider that Orion knows by name; `src/llm/quirks.ts` has a row for each. */
export type ModelProvider = (typeof MODEL_PROVIDERS)[number];

/** Values that earlier installations set; each names both a provider and a model. */
const FORMER_NAMES = {
  'gpt-4.1': { provider: 'openai', model: 'gpt-4.1' },
  deepseekchat: { provider: 'deepseek', model: 'deepseek-chat' },
  deepseekreasoner: { provider: 'deepseek', model: 'deepseek-reasoner' },
} as const satisfies Record<string, { provider: ModelProvider; model: string }>;
type FormerName = keyof typeof FORMER_NAMES;

/** Every accepted value of ORION_MODEL_PROVIDER. */
export const PROVIDER_NAMES = [...MODEL_PROVIDERS, ...(Object.keys(FORMER_NAMES) as FormerName[])] as const;
type ProviderName = (typeof PROVIDER_NAMES)[number];

const DEFAULTS: Record<ModelProvider, { baseUrl: string; model: string }> = {
  openai: { baseUrl: 'https://api.openai.com/v1', model: 'gpt-4.1' },
  deepseek: { baseUrl: 'https://api.deepseek.com', model: 'deepseek-chat' },
  openrouter: { baseUrl: 'https://openrouter.ai/api/v1', model: 'openai/gpt-4.1' },
  vllm: { baseUrl: 'http://127.0.0.1:8000/v1', model: 'default' },
  ollama: { baseUrl: 'http://127.0.0.1:11434/v1', model: 'llama3.2' },
  generic: { baseUrl: 'https://api.openai.com/v1', model: 'gpt-4.1' },
};

/** Returns the address of `provider` that is used unless another one is given. */
export const defaultBaseUrl = (provider: ModelProvider): string => DEFAULTS[provider].baseUrl;

/** The connection to a model's provider. */
export interface ModelConnection {
  readonly provider: ModelProvider;
  readonly baseUrl: string;
  /** The key. Undefined if none is configured, or if this process is a gateway, which gets none. */
  readonly apiKey: string | undefined;
}

/** The part of a `DescribedModel` that `resolveModel` needs. */
interface ConnectedModel {
  readonly connection: ModelConnection | undefined;
}

/**
 * The default model and its connection. It is `demo` when neither the settings nor the models file say how to reach a
 * model (`resolveModel`). The supervisor starts the demo model and knows its address.
 */
export type ModelSettings =
  | {
      readonly kind: 'demo';
      readonly provider: ModelProvider;
      readonly model: string;
      readonly apiKey: undefined;
    }
  | (ModelConnection & { readonly kind: 'provider'; readonly model: string });

/** Name under which the demo model shows everywhere, so that nobody takes it for a real one. */
export const DEMO_MODEL = 'orion-demo';

interface ConfiguredModel {
  readonly mayHoldKey: boolean;
  readonly provider: ProviderName | undefined;
  readonly model: string | undefined;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  /** The models in the models file. */
  readonly described: ReadonlyMap<string, ConnectedModel>;
}

/**
 * Returns the default model, with everything that its provider implies. A base URL without a provider means an
 * OpenAI-compatible server. `mayHoldKey` is false for a gateway, which gets no key. A model or a provider that is set
 * is then enough to rule out the demo model.
 */
export const resolveModel = (configured: ConfiguredModel): ModelSettings => {
  const described = describedModel(configured);
  if (described !== undefined) return described;
  const { apiKey } = configured;
  const name = configured.provider ?? (configured.baseUrl === undefined ? 'openai' : 'generic');
  const former = isFormerName(name) ? FORMER_NAMES[name] : undefined;
  const provider = former?.provider ?? (name as ModelProvider);
  const isNamed = !configured.mayHoldKey && (configured.model ?? configured.provider) !== undefined;
  if (apiKey === undefined && configured.baseUrl === undefined && !isNamed) {
    return { kind: 'demo', provider: 'generic', model: DEMO_MODEL, apiKey };
  }
  const baseUrl = configured.baseUrl ?? DEFAULTS[provider].baseUrl;
  const model = configured.model ?? former?.model ?? DEFAULTS[provider].model;
  return { kind: 'provider', provider, model, baseUrl, apiKey };
};

/**
 * Returns the default model with its connection in the models file, if neither a key nor an address is set. The default
 * model is then the one that ORION_MODEL names, otherwise the first of the file. Returns undefined in all other cases.
 * A gateway never has a key, so there a provider without a model is taken to mean that a key is set.
 */
const describedModel = (configured: ConfiguredModel): ModelSettings | undefined => {
  if ((configured.apiKey ?? configured.baseUrl) !== undefined) return undefined;
  const { mayHoldKey, provider } = configured;
  if (!mayHoldKey && configured.model === undefined && provider !== undefined) return undefined;
  const [first] = configured.described.keys();
  const model = configured.model ?? first;
  const connection = model === undefined ? undefined : configured.described.get(model)?.connection;
  return model === undefined || connection === undefined
    ? undefined
    : { kind: 'provider', model, ...connection };
};

const isFormerName = (name: ProviderName): name is FormerName => name in FORMER_NAMES;
