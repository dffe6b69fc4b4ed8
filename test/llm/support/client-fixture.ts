import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { RawDelta } from '../../../src/protocol/stream/raw-delta.ts';
import type { ModelClient, ModelRequest, OnDelta } from '../../../src/llm/model-client.ts';
import { ProviderError } from '../../../src/llm/provider-error.ts';
import { createModelClient, type ModelClientOptions } from '../../../src/llm/openai-client.ts';
import { type FakeModel, startFakeModel } from '../../support/fake-model/fake-model.ts';

export const API_KEY = 'sk-proj-0123456789abcdef';

export const request: ModelRequest = {
  model: 'fake',
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [],
  temperature: 0.3,
  maxTokens: 8192,
};

/** Gives a test file one fake provider, which is cleared before each test. */
export const useFakeModel = (): { readonly fake: FakeModel } => {
  const holder = {} as { fake: FakeModel };
  beforeAll(async () => {
    holder.fake = await startFakeModel();
  });
  beforeEach(() => holder.fake.clear());
  afterAll(() => holder.fake.close());
  return holder;
};

export const clientOf = (fake: FakeModel, options: Partial<ModelClientOptions> = {}): ModelClient =>
  createModelClient({
    baseUrl: fake.baseUrl,
    apiKey: API_KEY,
    provider: 'generic',
    idleTimeoutMs: 60_000,
    totalTimeoutMs: 120_000,
    ...options,
  });

/** One call under way. */
export interface Call {
  /** The deltas so far; the list grows as they come. */
  readonly deltas: readonly RawDelta[];
  /** Resolves when the first delta has been taken. */
  readonly begun: Promise<void>;
  /** Resolves when the call has ended; rejects with its failure. */
  readonly ended: Promise<void>;
}

/** Starts a call; `onDelta` is called for each delta as it is taken. */
export const callOf = (
  client: ModelClient,
  asked = request,
  signal: AbortSignal = new AbortController().signal,
  onDelta: OnDelta = () => 'more',
): Call => {
  const deltas: RawDelta[] = [];
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const ended = client.stream(asked, signal, (delta) => {
    deltas.push(delta);
    resolve();
    return onDelta(delta);
  });
  // Only some tests look at the result, and without a handler a failure would be an unhandled rejection.
  ended.catch(() => undefined);
  return { deltas, begun, ended };
};

/** Resolves to all deltas of one call. */
export const deltasOf = async (
  client: ModelClient,
  asked = request,
  signal?: AbortSignal,
): Promise<readonly RawDelta[]> => {
  const { deltas, ended } = callOf(client, asked, signal);
  await ended;
  return deltas;
};

export const textOf = (deltas: readonly RawDelta[]): string =>
  deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('');

/** Resolves to the failure that a call must end with. */
export const failureOf = async (client: ModelClient, asked = request): Promise<ProviderError> => {
  const deltas = await deltasOf(client, asked).catch((error: unknown) => error);
  if (deltas instanceof ProviderError) return deltas;
  throw new Error(`expected a ProviderError, got ${JSON.stringify(deltas)} ${String(deltas)}`);
};
