import { randomUUID } from 'node:crypto';
import { eventually } from './eventually.ts';
import { isTerminalFrame } from './recording-check.ts';
import { logLine } from './test-log.ts';
import { SseRecorder, type RecordedFrame } from './sse-recorder.ts';

/**
 * Time in milliseconds after which a silent stream is closed and resumed. A connection to a killed process may never
 * report an error.
 */
const SILENCE_MS = 20_000;
const ASK_AGAIN_MS = 100;
const RESUME_MS = 50;
/**
 * Time in milliseconds after which a request without an answer is sent again. A gateway that runs answers within 2 s,
 * one that was killed never does.
 */
const MAX_ANSWER_MS = 10_000;

export interface ChatBody {
  readonly projectId?: string;
  readonly content?: string;
  readonly conversationId?: string;
  readonly mode?: string;
  readonly requestId?: string;
  readonly metadata?: Record<string, unknown>;
}

/** A client of the public HTTP API; every message goes to a conversation of its own unless it names one. */
export class ChatClient {
  readonly #baseUrl: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** `headers` are sent with every request. */
  constructor(baseUrl: string, headers: Readonly<Record<string, string>> = {}) {
    this.#baseUrl = baseUrl;
    this.#headers = headers;
  }

  request(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(this.#baseUrl + path, this.#withHeaders(init));
  }

  async json(path: string, init?: RequestInit): Promise<Record<string, unknown>> {
    return (await (await this.request(path, init)).json()) as Record<string, unknown>;
  }

  post(path: string, body: ChatBody): Promise<Response> {
    return this.request(path, jsonRequest(body));
  }

  /**
   * Sends the same request again, as clients do, until a gateway answers with a status below 500. Resolves to that
   * answer; rejects after 200 s without one.
   */
  untilAnswered(path: string, init: RequestInit = {}): Promise<Response> {
    const ask = async (): Promise<Response | undefined> => {
      const signal = AbortSignal.timeout(MAX_ANSWER_MS);
      const response = await this.request(path, { ...init, signal }).catch(() => undefined);
      if (response && response.status < 500) return response;
      logLine(`${path}: ${response ? await response.text().catch(String) : 'no answer'}, asked again`);
      return undefined;
    };
    return eventually(`an answer to ${path}`, ask, ASK_AGAIN_MS);
  }

  /**
   * Starts a turn. Sends the request again until its answer has a status below 500, because a busy machine may have no
   * place for the turn (503). Rejects when that answer is a refusal.
   */
  async start(body: ChatBody & { readonly requestId: string }): Promise<void> {
    const conversationId = body.conversationId ?? randomUUID();
    const response = await this.untilAnswered('/api/turns', jsonRequest({ ...body, conversationId }));
    if (!response.ok) {
      throw new Error(`expected a turn, received ${response.status} ${await response.text()}`);
    }
  }

  /**
   * Starts a turn over a route that answers with its stream, and records the stream. Sends the request again while a
   * busy machine has no place for the turn (503). Any other refusal is in the recorder's `response`.
   */
  chat(body: ChatBody, path = '/api/chat/messages_two_stage'): Promise<SseRecorder> {
    const request = this.#withHeaders(jsonRequest({ requestId: randomUUID(), ...body }));
    const ask = async (): Promise<SseRecorder | undefined> => {
      const recorder = await SseRecorder.open(this.#baseUrl + path, request);
      if (recorder.response.status !== 503) return recorder;
      logLine(`${path}: 503, asked again`);
      return undefined;
    };
    return eventually(`a place for a turn at ${path}`, ask, ASK_AGAIN_MS);
  }

  /** Records the native frames of a turn that come after `lastEventId`. */
  events(turnId: string, lastEventId?: string): Promise<SseRecorder> {
    const headers = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
    return SseRecorder.open(`${this.#baseUrl}/api/turns/${turnId}/events`, this.#withHeaders({ headers }));
  }

  #withHeaders({ headers, ...init }: RequestInit): RequestInit {
    const all = new Headers(headers);
    for (const [name, value] of Object.entries(this.#headers)) all.set(name, value);
    return { ...init, headers: all };
  }

  /**
   * Follows a turn as clients do: resumes after every cut and every silence until the turn has ended. Throws when the
   * gateway refuses, and when no frame comes for 200 s.
   */
  async follow(
    turnId: string,
    onFrame: (frame: RecordedFrame) => void = () => undefined,
  ): Promise<RecordedFrame[]> {
    const frames: RecordedFrame[] = [];
    /** Resolves to true once the turn has ended. */
    const resume = async (): Promise<boolean> => {
      const openedAt = performance.now();
      const recorder = await this.events(turnId, frames.at(-1)?.id).catch(() => undefined);
      if (recorder?.response.status === 204) return true;
      if (recorder && recorder.response.status < 500 && !recorder.response.ok) {
        throw new Error(`expected the stream of ${turnId}, received ${recorder.response.status}`);
      }
      if (recorder) {
        let taken = 0;
        const take = (): void => {
          for (; taken < recorder.frames.length; taken += 1) {
            const frame = recorder.frames[taken] as RecordedFrame;
            frames.push(frame);
            onFrame(frame);
          }
        };
        const silence = setInterval(() => {
          const heardAt = Math.max(openedAt, recorder.frames.at(-1)?.at ?? 0);
          if (performance.now() - heardAt > SILENCE_MS) recorder.close();
        }, SILENCE_MS / 10);
        await recorder.next(() => (take(), false)).catch(take);
        clearInterval(silence);
      }
      return frames.some(isTerminalFrame);
    };
    for (;;) {
      const known = frames.length;
      const goOn = async () => {
        const hasEnded = await resume();
        return (hasEnded || frames.length > known) && { hasEnded };
      };
      const what = `the end of ${turnId}, or a frame after ${frames.at(-1)?.id ?? 'its begin'}`;
      if ((await eventually(what, goOn, RESUME_MS)).hasEnded) return frames;
    }
  }
}

const jsonRequest = (body: ChatBody): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ projectId: 'test', conversationId: randomUUID(), ...body }),
});
