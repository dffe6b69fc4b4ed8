import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import { createParser } from 'eventsource-parser';
import { parseJson } from '../contracts/values/parse-json.ts';
import type { RawDelta } from '../protocol/stream/raw-delta.ts';
import type { CallGuard } from './call-guard.ts';
import { type ProviderAddress, frameFailure } from './classify-failure.ts';
import {
  chunkDeltas,
  completionChunkSchema,
  errorFrame,
  finishReason,
  firstChoice,
  type CompletionChunk,
  type FinishReason,
} from './completion-chunk.ts';
import type { OnDelta } from './model-client.ts';
import { ProviderError, providerUnavailableError, rootMessage } from './provider-error.ts';
import { MIB } from '../contracts/values/units.ts';

/** Largest number of characters of a frame that are held in memory. Real frames have a few hundred. */
const MAX_FRAME_CHARACTERS = 8 * MIB;

/**
 * Encodings of a body that cannot be read here. Other values, such as the `none` of some servers, mean that the body is
 * not encoded.
 */
const COMPRESSED = /\b(?:gzip|deflate|br|zstd|compress)\b/i;

/** Data of the frame that ends a stream of chat completions. */
const DONE = '[DONE]';

/** Takes the data of one frame and says whether the next is wanted; after `enough` it is not called again. */
type OnFrame = (data: string) => 'more' | 'enough';

/**
 * Reads one answer of a model from the bytes of its response. It splits these into frames, reads each frame, and gives
 * deltas in the order that `ModelClient` describes.
 */
export class CompletionStream {
  readonly #address: ProviderAddress;
  readonly #guard: CallGuard;
  readonly #onDelta: OnDelta;
  #finishReason: FinishReason | undefined;
  #isDone = false;
  #hasEnough = false;

  constructor(address: ProviderAddress, guard: CallGuard, onDelta: OnDelta) {
    this.#address = address;
    this.#guard = guard;
    this.#onDelta = onDelta;
  }

  /** True when the answer is whole, though usage may still come. */
  get isComplete(): boolean {
    return this.#isDone || this.#finishReason !== undefined;
  }

  /**
   * Gives the deltas of a response as they come. The response is a stream of server-sent events, or a whole JSON body
   * (from a provider that ignored `stream: true`), which counts as one frame and `[DONE]`. Resolves once the receiver
   * of the deltas has enough, after `[DONE]`, or at the end of the body. Whatever follows is dropped as it comes.
   *
   * Rejects with `ProviderError` for a web page or a compressed body, for a frame that is an error, unreadable or too
   * long, and for an answer that was cut or given up. Rejects with the caller's reason after an abort, and with
   * whatever the receiver throws.
   */
  async read(headers: Headers, body: IncomingMessage): Promise<void> {
    const type = headers.get('content-type')?.toLowerCase() ?? '';
    // This is a login page or a wrong address. Read as a stream, it would look like a cut answer and be tried again.
    if (type.startsWith('text/html')) throw notAnApiError('a web page instead of a chat completion');
    const encoding = headers.get('content-encoding') ?? '';
    if (COMPRESSED.test(encoding)) throw notAnApiError(`the encoding ${encoding}, which was not asked for`);
    const onFrame: OnFrame = (data) => this.#handleFrame(data);
    const sink = type.startsWith('application/json') ? wholeBodySink(onFrame) : eventSink(onFrame);
    const failure = await drain(body, sink, () => this.#guard.restartIdleTime());
    this.#guard.throwIfCallerAborted();
    // Once an answer is whole, a connection that breaks or stays open does no harm.
    if (failure && !this.isComplete) throw failure;
    this.#end();
  }

  #handleFrame(data: string): 'more' | 'enough' {
    if (data === DONE) this.#isDone = true;
    else if (data.trim() !== '') this.#handleChunk(this.#parse(data));
    if (this.isComplete) this.#guard.linger();
    else this.#guard.resume();
    return this.#isDone || this.#hasEnough ? 'enough' : 'more';
  }

  /** Gives the last deltas at the end of the stream. Throws when the answer was cut. */
  #end(): void {
    if (!this.isComplete && !this.#hasEnough) {
      throw providerUnavailableError("The model's answer was cut: its stream ended without an end marker.");
    }
    if (this.#finishReason) this.#emit({ type: 'finish', reason: this.#finishReason });
    if (this.#isDone) this.#emit({ type: 'end' });
  }

  #handleChunk(chunk: CompletionChunk): void {
    for (const delta of chunkDeltas(chunk)) {
      // Some providers send a finish reason with every frame. When more of the answer follows, the earlier reason is
      // void.
      if (delta.type === 'text' || delta.type === 'call') this.#finishReason = undefined;
      this.#emit(delta);
    }
    const reason = finishReason(firstChoice(chunk)?.finish_reason);
    if (reason === 'failed') throw providerUnavailableError('The model provider gave up in mid-answer.');
    this.#finishReason = reason ?? this.#finishReason;
  }

  #emit(delta: RawDelta): void {
    if (this.#hasEnough) return;
    this.#guard.throwIfCallerAborted();
    this.#hasEnough = this.#onDelta(delta) === 'enough';
  }

  #parse(data: string): CompletionChunk {
    const json = parseJson(data);
    const failed = errorFrame(json);
    if (failed) throw frameFailure(failed, this.#address);
    const chunk = completionChunkSchema.safeParse(json);
    if (!chunk.success) throw unreadableFrameError();
    return chunk.data;
  }
}

/**
 * Feeds the sink until it has enough or the body ends. Resolves to undefined, or to a failure if the body broke or a
 * frame is too long. Rejects with what the sink throws.
 */
const drain = (
  body: IncomingMessage,
  sink: TextSink,
  onBytes: () => void,
): Promise<ProviderError | undefined> =>
  new Promise((resolve, reject) => {
    const decoder = new TextDecoder();
    let wantsMore = true;
    const feed = (bytes: Buffer): void => {
      onBytes();
      if (!wantsMore) return;
      // The decoder is never flushed, which would turn half a character at the end into U+FFFD: such a stream was cut
      // anyway.
      const state = sink.feed(decoder.decode(bytes, { stream: true }));
      wantsMore = state === 'more';
      if (!wantsMore) resolve(state === 'too long' ? frameTooLongError() : undefined);
    };
    const end = (error: unknown): void => {
      if (!wantsMore) return;
      if (!error) sink.end();
      resolve(error ? connectionBrokenError(error) : undefined);
    };
    const orReject = (run: () => void): void => {
      try {
        run();
      } catch (error) {
        wantsMore = false;
        reject(error);
      }
    };
    body.on('data', (bytes: Buffer) => orReject(() => feed(bytes)));
    finished(body, (error) => orReject(() => end(error)));
  });

type SinkState = 'more' | 'enough' | 'too long';

interface TextSink {
  feed(text: string): SinkState;
  /** Called when the body has ended. */
  end(): void;
}

const eventSink = (onFrame: OnFrame): TextSink => {
  let state: SinkState = 'more';
  const parser = createParser({
    maxBufferSize: MAX_FRAME_CHARACTERS,
    onEvent: ({ data }) => {
      if (state === 'more') state = onFrame(data);
    },
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') state = 'too long';
    },
  });
  return {
    feed: (text) => {
      parser.feed(text);
      return state;
    },
    // Some servers leave out the blank line after the last frame.
    end: () => parser.feed('\n\n'),
  };
};

const wholeBodySink = (onFrame: OnFrame): TextSink => {
  let body = '';
  return {
    feed: (text) => {
      body += text;
      return body.length > MAX_FRAME_CHARACTERS ? 'too long' : 'more';
    },
    end: () => {
      if (onFrame(body) === 'more') onFrame(DONE);
    },
  };
};

const notAnApiError = (received: string): ProviderError =>
  new ProviderError('model_bad_request', `The configured model address answered with ${received}.`, {
    isRetryable: false,
  });

const frameTooLongError = (): ProviderError =>
  providerUnavailableError(
    `The model provider sent a frame of more than ${MAX_FRAME_CHARACTERS / 1024 / 1024} MiB.`,
  );

const connectionBrokenError = (error: unknown): ProviderError =>
  providerUnavailableError(
    `The connection to the model provider broke in mid-answer: ${rootMessage(error)}.`,
  );

const unreadableFrameError = (): ProviderError =>
  providerUnavailableError('The model provider sent a frame that is not a chat completion.');
