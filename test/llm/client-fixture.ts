import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { RawDelta } from '../../src/protocol/model-stream.ts';
import { ModelFailure, type ModelClient, type ModelRequest } from '../../src/llm/model-client.ts';
import { createModelClient, type ModelClientOptions } from '../../src/llm/openai-client.ts';
import { type FakeModel, startFakeModel } from '../support/fake-model/fake-model.ts';

export const API_KEY = 'sk-proj-0123456789abcdef';

export const request: ModelRequest = {
  model: 'fake',
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [],
  temperature: 0.3,
  maxTokens: 8192,
};

/** One fake provider for a test file, cleared before each test. */
export function useFakeModel(): { readonly fake: FakeModel } {
  const holder = {} as { fake: FakeModel };
  beforeAll(async () => {
    holder.fake = await startFakeModel();
  });
  beforeEach(() => holder.fake.clear());
  afterAll(() => holder.fake.close());
  return holder;
}

export const clientOf = (fake: FakeModel, options: Partial<ModelClientOptions> = {}): ModelClient =>
  createModelClient({
    baseUrl: fake.baseUrl,
    apiKey: API_KEY,
    provider: 'generic',
    idleTimeoutMs: 5_000,
    totalTimeoutMs: 10_000,
    ...options,
  });

/** One call, to be read step by step; its reader may leave at any time. */
export const callOf = (
  client: ModelClient,
  asked = request,
  signal: AbortSignal = new AbortController().signal,
): AsyncIterator<RawDelta> => client.stream(asked, signal)[Symbol.asyncIterator]();

/** All deltas of one call. */
export async function deltasOf(
  client: ModelClient,
  asked = request,
  signal?: AbortSignal,
): Promise<RawDelta[]> {
  const deltas: RawDelta[] = [];
  for await (const delta of client.stream(asked, signal ?? new AbortController().signal)) deltas.push(delta);
  return deltas;
}

export const textOf = (deltas: readonly RawDelta[]): string =>
  deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('');

/** The failure that a call must end with. */
export async function failureOf(client: ModelClient, asked = request): Promise<ModelFailure> {
  const deltas = await deltasOf(client, asked).catch((error: unknown) => error);
  if (deltas instanceof ModelFailure) return deltas;
  throw new Error(`expected a ModelFailure, got ${JSON.stringify(deltas)} ${String(deltas)}`);
}
