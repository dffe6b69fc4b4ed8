import type { RawDelta } from '../protocol/stream/model-stream.ts';
import { frameFailure, type ProviderAddress } from './classify-failure.ts';
import {
  type CompletionChunk,
  completionChunkSchema,
  errorFrame,
  type FinishReason,
  finishReason,
  chunkDeltas,
  firstChoice,
} from './completion-chunk.ts';
import type { TakeDelta } from './model-client.ts';
import { unavailable } from './model-failure.ts';
import { DONE } from './response-frames.ts';

/** One answer of a model, read frame by frame (see `ModelClient` for the order of the deltas). */
export class Answer {
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

const parseJson = (data: string): unknown => {
  try {
    return JSON.parse(data);
  } catch {
    throw unreadable();
  }
};

const unreadable = () => unavailable('The model provider sent a frame that is not a chat completion.');
