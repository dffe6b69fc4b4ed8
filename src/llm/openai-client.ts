import { finished } from 'node:stream';
import { OpenAI } from 'openai';
import { parseJson } from '../base/parse-json.ts';
import type { ModelProvider } from '../config/model-provider.ts';
import { CallGuard, type CallLimits } from './call-guard.ts';
import { type ProviderAddress, requestFailure, frameFailure } from './classify-failure.ts';
import type { ModelClient, ModelRequest, TakeDelta } from './model-client.ts';
import { bodyOf, providerFetch } from './provider-fetch.ts';
import { type Quirks, quirksOf, requestBody } from './quirks.ts';
import { readFrames, DONE } from './response-frames.ts';
import type { RawDelta } from '../protocol/stream/model-stream.ts';
import {
  type CompletionChunk,
  completionChunkSchema,
  errorFrame,
  type FinishReason,
  finishReason,
  chunkDeltas,
  firstChoice,
} from './completion-chunk.ts';
import { unavailable } from './model-failure.ts';

export interface ModelClientOptions extends CallLimits {
  readonly baseUrl: string;
  /** Undefined: no Authorization header is sent (local servers). */
  readonly apiKey: string | undefined;
  readonly provider: ModelProvider;
}

/**
 * A client for any server that speaks OpenAI chat completions (docs/turns.md "Model adapter").
 * The response is read as bytes: the openai iterator hides `[DONE]`, so a cut stream would look like a whole
 * one, and comments, so a provider that keeps a slow answer alive would look idle.
 * Throws when address or key cannot be used at all.
 */
export const createModelClient = (options: ModelClientOptions): ModelClient => {
  const quirks = quirksOf(options.provider, options.baseUrl);
  const address = checkedAddress(options);
  const openai = openaiClient(options, address);
  return {
    stream: (request, signal, take) =>
      streamAnswer({ openai, quirks, address, limits: options }, request, signal, take),
  };
};

/** Refuses what would fail at each call in words that quote the secret, or be sent as a password. */
const checkedAddress = ({ baseUrl, apiKey }: ModelClientOptions): ProviderAddress => {
  const url = URL.parse(baseUrl);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new Error('OPENAI_BASE_URL: expected an http(s) address without user name and password');
  }
  if (apiKey && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new Error('OPENAI_API_KEY: expected printable ASCII characters without blanks');
  }
  return { baseUrl, apiKey: apiKey || undefined };
};

/** Everything is passed, so that the library reads none of its own environment variables. */
const openaiClient = (options: ModelClientOptions, address: ProviderAddress): OpenAI => {
  return new OpenAI({
    baseURL: address.baseUrl,
    apiKey: address.apiKey ?? 'none',
    defaultHeaders: address.apiKey ? {} : { Authorization: null },
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    // Temporal owns the retries: two layers would multiply. (`providerFetch` repeats only what nobody can have read.)
    maxRetries: 0,
    timeout: options.totalTimeoutMs,
    fetch: providerFetch,
  });
};

interface Connection {
  readonly openai: OpenAI;
  readonly quirks: Quirks;
  readonly address: ProviderAddress;
  readonly limits: CallLimits;
}

const streamAnswer = async (
  { openai, quirks, address, limits }: Connection,
  request: ModelRequest,
  signal: AbortSignal,
  take: TakeDelta,
): Promise<void> => {
  const body = requestBody(request, quirks);
  const guard = new CallGuard(limits, signal);
  const answer = new Answer(address, (delta) => {
    guard.throwIfCallerAborted();
    return take(delta);
  });
  let response: Response | undefined;
  try {
    response = await openai.chat.completions.create(body, { signal: guard.signal }).asResponse();
    guard.heard();
    const broken = await readFrames(response, {
      heard: () => guard.heard(),
      frame: (data) => readFrame(answer, data, guard),
    });
    guard.throwIfCallerAborted();
    // Once an answer is whole, a connection that breaks or stays open takes nothing away from it.
    if (broken && !answer.complete) throw broken;
    answer.end();
  } catch (error) {
    guard.throwIfEnded();
    throw requestFailure(error, address) ?? error;
  } finally {
    if (response && answer.complete) letClose(response, guard);
    else guard.close();
  }
};

const readFrame = (answer: Answer, data: string, guard: CallGuard): 'more' | 'enough' => {
  const state = answer.read(data);
  if (answer.complete) guard.linger();
  else guard.resume();
  return state;
};

/**
 * Lets a whole answer's response come to its end, for as long as the guard lingers: a connection that was cut off
 * could not serve the next call.
 */
const letClose = (response: Response, guard: CallGuard): void => {
  finished(bodyOf(response), () => guard.close());
};

/** One answer of a model, read frame by frame (see `ModelClient` for the order of the deltas). */
class Answer {
  readonly #address: ProviderAddress;
  readonly #take: TakeDelta;
  #finish: FinishReason | undefined;
  #done = false;
  #enough = false;

  constructor(address: ProviderAddress, take: TakeDelta) {
    this.#address = address;
    this.#take = take;
  }

  /** The answer is whole, though usage may still come. */
  get complete(): boolean {
    return this.#done || this.#finish !== undefined;
  }

  /**
   * Gives what one frame adds, and says whether there can be more. Throws `ModelFailure` at an error frame and at
   * one that nobody can read.
   */
  read(data: string): 'more' | 'enough' {
    if (data === DONE) this.#done = true;
    else if (data.trim() !== '') this.#chunk(this.#parse(data));
    return this.#done || this.#enough ? 'enough' : 'more';
  }

  /** Gives what stands at the end of the stream. Throws a retryable `ModelFailure` when the answer was cut. */
  end(): void {
    if (!this.complete && !this.#enough)
      throw unavailable("The model's answer was cut: its stream ended without an end marker.");
    if (this.#finish) this.#give({ type: 'finish', reason: this.#finish });
    if (this.#done) this.#give({ type: 'end' });
  }

  #chunk(chunk: CompletionChunk): void {
    for (const delta of chunkDeltas(chunk)) {
      // Some providers name a finish reason on every frame: more of the answer makes an earlier one void.
      if (delta.type === 'text' || delta.type === 'call') this.#finish = undefined;
      this.#give(delta);
    }
    const reason = finishReason(firstChoice(chunk)?.finish_reason);
    if (reason === 'failed') throw unavailable('The model provider gave up in mid-answer.');
    this.#finish = reason ?? this.#finish;
  }

  #give(delta: RawDelta): void {
    if (!this.#enough) this.#enough = this.#take(delta) === 'enough';
  }

  #parse(data: string): CompletionChunk {
    const json = parseJson(data);
    const failed = errorFrame(json);
    if (failed) throw frameFailure(failed, this.#address);
    const chunk = completionChunkSchema.safeParse(json);
    if (!chunk.success) throw unreadable();
    return chunk.data;
  }
}

const unreadable = () => unavailable('The model provider sent a frame that is not a chat completion.');
