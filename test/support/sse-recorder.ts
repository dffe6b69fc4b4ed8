import { createParser, type EventSourceMessage } from 'eventsource-parser';

export interface RecordedFrame {
  readonly id: string;
  /** The name of the SSE event; absent in compatible frames. */
  readonly event: string | undefined;
  readonly data: Record<string, unknown>;
  /** When the frame came, by `performance.now()` (ms). */
  readonly at: number;
}

interface Waiter {
  readonly matches: (frame: RecordedFrame) => boolean;
  readonly resolve: (frame: RecordedFrame) => void;
  readonly reject: (error: Error) => void;
}

/** The gateway answers within 2 s whatever fails; the limit leaves time for a busy machine. */
const MAX_OPENING_MS = 20_000;

/** Records one SSE response frame by frame; tests await frames instead of sleeping. */
export class SseRecorder {
  readonly frames: RecordedFrame[] = [];
  readonly response: Response;
  /** Settles when the response ends, whether it was whole or cut. */
  readonly ended: Promise<void>;
  readonly #waiters: Waiter[] = [];
  readonly #abort: AbortController;
  #hasEnded = false;

  private constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    this.ended = this.#read()
      .catch(() => undefined)
      .finally(() => this.#finish());
  }

  static async open(url: string, init: RequestInit = {}): Promise<SseRecorder> {
    const abort = new AbortController();
    const late = setTimeout(() => abort.abort(), MAX_OPENING_MS);
    const response = await fetch(url, { ...init, signal: abort.signal }).finally(() => clearTimeout(late));
    return new SseRecorder(response, abort);
  }

  /** Resolves to the first frame, recorded or still to come, that matches; rejects when the stream ends without one. */
  next(matches: (frame: RecordedFrame) => boolean): Promise<RecordedFrame> {
    const seen = this.frames.find(matches);
    if (seen) return Promise.resolve(seen);
    if (this.#hasEnded) return Promise.reject(this.#missing());
    return new Promise((resolve, reject) => this.#waiters.push({ matches, resolve, reject }));
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(): Promise<void> {
    const parser = createParser({ onEvent: (message) => this.#take(message) });
    if (!this.response.body) return;
    for await (const text of this.response.body.pipeThrough(new TextDecoderStream())) parser.feed(text);
  }

  #take(message: EventSourceMessage): void {
    const frame: RecordedFrame = {
      id: message.id ?? '',
      event: message.event,
      data: JSON.parse(message.data) as Record<string, unknown>,
      at: performance.now(),
    };
    this.frames.push(frame);
    for (const waiter of this.#waiters.filter(({ matches }) => matches(frame))) {
      this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
      waiter.resolve(frame);
    }
  }

  #finish(): void {
    this.#hasEnded = true;
    for (const waiter of this.#waiters.splice(0)) waiter.reject(this.#missing());
  }

  #missing(): Error {
    const types = this.frames.map(({ data }) => data['type']).join(' ');
    return new Error(`the stream ended without the awaited frame; it had: ${types || 'nothing'}`);
  }
}
