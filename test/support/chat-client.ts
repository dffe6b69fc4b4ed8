import { randomUUID } from 'node:crypto';
import { SseRecorder, type RecordedFrame } from './sse-recorder.ts';

/** A connection to a process that was killed may be lost without a word. */
const SILENCE_MS = 20_000;

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

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  request(path: string, init?: RequestInit): Promise<Response> {
    return fetch(this.#baseUrl + path, init);
  }

  async json(path: string, init?: RequestInit): Promise<Record<string, unknown>> {
    return (await (await this.request(path, init)).json()) as Record<string, unknown>;
  }

  post(path: string, body: ChatBody): Promise<Response> {
    return this.request(path, jsonRequest(body));
  }

  /** Starts a turn and records its stream. */
  chat(body: ChatBody, path = '/api/chat/messages_two_stage'): Promise<SseRecorder> {
    return SseRecorder.open(this.#baseUrl + path, jsonRequest(body));
  }

  /** Records a turn's native frames after `lastEventId`. */
  events(turnId: string, lastEventId?: string): Promise<SseRecorder> {
    const headers = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
    return SseRecorder.open(`${this.#baseUrl}/api/turns/${turnId}/events`, { headers });
  }

  /** Follows a turn as clients do: resumes after every cut, and after silence, until the turn has ended. */
  async follow(
    turnId: string,
    onFrame: (frame: RecordedFrame) => void = () => undefined,
  ): Promise<RecordedFrame[]> {
    const frames: RecordedFrame[] = [];
    for (;;) {
      const openedAt = performance.now();
      const recorder = await this.events(turnId, frames.at(-1)?.id).catch(() => undefined);
      if (recorder?.response.status === 204) return frames;
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
      if (frames.some(isTerminal)) return frames;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

export const isTerminal = ({ data }: RecordedFrame): boolean =>
  data['type'] === 'done' || data['type'] === 'error';

const jsonRequest = (body: ChatBody): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ projectId: 'test', conversationId: randomUUID(), ...body }),
});
