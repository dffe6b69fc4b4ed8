import type { RawDelta } from '../protocol/model-stream.ts';
import { chunkDeltas, firstChoice } from './chunk-deltas.ts';
import { frameFailure, type ProviderAddress } from './classify-failure.ts';
import { type CompletionChunk, completionChunkSchema, errorFrame } from './completion-chunk.ts';
import { type FinishReason, finishReason } from './finish-reason.ts';
import { unavailable } from './model-failure.ts';
import { DONE } from './response-frames.ts';

/** One answer of a model, read frame by frame (see `ModelClient` for the order of the deltas). */
export class Answer {
  readonly #address: ProviderAddress;
  #finish: FinishReason | undefined;
  #done = false;

  constructor(address: ProviderAddress) {
    this.#address = address;
  }

  /** The answer is whole, though usage may still come. */
  get complete(): boolean {
    return this.#done || this.#finish !== undefined;
  }

  /** The terminal marker has come: nothing more is to be read. */
  get done(): boolean {
    return this.#done;
  }

  /** What further frames add. Throws `ModelFailure` at an error frame and at one that nobody can read. */
  *read(frames: readonly string[]): Generator<RawDelta> {
    for (const data of frames) {
      if (data === DONE) this.#done = true;
      if (this.#done) return;
      if (data.trim() !== '') yield* this.#chunk(this.#parse(data));
    }
  }

  /** What stands at the end of the stream. Throws a retryable `ModelFailure` when the answer was cut. */
  *end(): Generator<RawDelta> {
    if (!this.complete)
      throw unavailable("The model's answer was cut: its stream ended without an end marker.");
    if (this.#finish) yield { type: 'finish', reason: this.#finish };
    if (this.#done) yield { type: 'end' };
  }

  *#chunk(chunk: CompletionChunk): Generator<RawDelta> {
    for (const delta of chunkDeltas(chunk)) {
      // Some providers name a finish reason on every frame: more of the answer makes an earlier one void.
      if (delta.type === 'text' || delta.type === 'call') this.#finish = undefined;
      yield delta;
    }
    const reason = finishReason(firstChoice(chunk)?.finish_reason);
    if (reason === 'failed') throw unavailable('The model provider gave up in mid-answer.');
    this.#finish = reason ?? this.#finish;
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

function parseJson(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw unreadable();
  }
}

const unreadable = () => unavailable('The model provider sent a frame that is not a chat completion.');
