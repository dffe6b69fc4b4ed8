import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import { OpenAI } from 'openai';
import { API_KEY_EXPECTATION, isApiKey } from '../base/text/api-key.ts';
import type { ModelProvider } from '../config/settings/model-provider.ts';
import { CallGuard, type CallLimits } from './call-guard.ts';
import { type ProviderAddress, requestFailure } from './classify-failure.ts';
import { CompletionStream } from './completion-stream.ts';
import type { ModelClient, ModelRequest, OnDelta } from './model-client.ts';
import { bodyOf, fetchFromProvider } from './provider-fetch.ts';
import { type ProviderQuirks, quirksOf } from './quirks.ts';
import { requestBody } from './request-body.ts';

export interface ModelClientOptions extends CallLimits {
  readonly baseUrl: string;
  /** Key of the provider. Undefined means that no Authorization header is sent (local servers). */
  readonly apiKey: string | undefined;
  readonly provider: ModelProvider;
}

/**
 * Creates a client for any server that speaks OpenAI chat completions (docs/turns.md "Model adapter"). The response is
 * read as bytes: the openai iterator hides `[DONE]`, so a cut stream would look like a whole one, and comments, so a
 * provider that keeps a slow answer alive would look idle. Throws when the address or the key cannot be used at all.
 */
export const createModelClient = (options: ModelClientOptions): ModelClient => {
  const quirks = quirksOf(options.provider, options.baseUrl);
  const address = checkedAddress(options);
  const openai = createOpenaiClient(options, address);
  return {
    stream: (request, signal, onDelta) =>
      streamAnswer({ openai, quirks, address, limits: options }, request, signal, onDelta),
  };
};

/**
 * Returns the address and the key. Throws for an address that is not http(s), for one with a user name or password,
 * which would be sent, and for a key that cannot stand in a header, because every call would fail with an error that
 * quotes it.
 */
const checkedAddress = ({ baseUrl, apiKey }: ModelClientOptions): ProviderAddress => {
  const url = URL.parse(baseUrl);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new Error('OPENAI_BASE_URL: expected an http(s) address without user name and password');
  }
  if (apiKey && !isApiKey(apiKey)) {
    throw new Error(`OPENAI_API_KEY: expected ${API_KEY_EXPECTATION}`);
  }
  return { baseUrl, apiKey: apiKey || undefined };
};

/** Passes every option, so that the library reads none of its own environment variables. */
const createOpenaiClient = (options: ModelClientOptions, address: ProviderAddress): OpenAI => {
  return new OpenAI({
    baseURL: address.baseUrl,
    // The library requires a key. If none is configured, its header is removed.
    apiKey: address.apiKey ?? 'none',
    defaultHeaders: address.apiKey ? {} : { Authorization: null },
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    // Temporal owns the retries: two layers would multiply. (`fetchFromProvider` repeats a request only if its
    // connection was probably dead before.)
    maxRetries: 0,
    timeout: options.totalTimeoutMs,
    fetch: fetchFromProvider,
  });
};

interface ProviderConnection {
  readonly openai: OpenAI;
  readonly quirks: ProviderQuirks;
  readonly address: ProviderAddress;
  readonly limits: CallLimits;
}

const streamAnswer = async (
  { openai, quirks, address, limits }: ProviderConnection,
  request: ModelRequest,
  signal: AbortSignal,
  onDelta: OnDelta,
): Promise<void> => {
  const payload = requestBody(request, quirks);
  const guard = new CallGuard(limits, signal);
  const stream = new CompletionStream(address, guard, onDelta);
  let body: IncomingMessage | undefined;
  try {
    const response = await openai.chat.completions.create(payload, { signal: guard.signal }).asResponse();
    guard.restartIdleTime();
    body = bodyOf(response);
    await stream.read(response.headers, body);
  } catch (error) {
    // An abort by the caller or a timeout counts before the error that it has caused.
    guard.throwIfEnded();
    throw requestFailure(error, address) ?? error;
  } finally {
    // A connection that is cut off cannot serve the next call. The body of a whole answer may therefore end by itself,
    // for as long as the guard lingers.
    if (body && stream.isComplete) finished(body, () => guard.close());
    else guard.close();
  }
};
