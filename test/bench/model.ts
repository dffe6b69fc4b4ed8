import { setTimeout as delay } from 'node:timers/promises';
import type { RecordedRequest } from '../support/fake-model/request-log.ts';
import type { Response, Rule, Step } from '../support/fake-model/script.ts';

const LOOK_TIMEOUT_MS = 10_000;
const LOOK_MS = 20;

type RequestFacts = Pick<RecordedRequest, 'body' | 'ended'>;

/** The scripted provider of the benchmark, in a process of its own. */
export class BenchModel {
  readonly port: number;

  constructor(port: number) {
    this.port = port;
  }

  /** The base URL for `OPENAI_BASE_URL`. */
  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  /** Gives this response to every later request. */
  answerAll(response: Response): Promise<void> {
    return this.follow([{ responses: [response], repeat: true }]);
  }

  /** Replaces all rules by these. */
  async follow(rules: readonly Rule[]): Promise<void> {
    await this.#control('/__clear', {});
    await this.#control('/__script', { rules });
  }

  /** Returns the requests since the last `follow`, oldest first. */
  async asked(): Promise<readonly RequestFacts[]> {
    const answered = await fetch(`http://127.0.0.1:${this.port}/__requests`);
    return (await answered.json()) as RequestFacts[];
  }

  /** Opens a gate of a script. */
  release(gate: string): Promise<void> {
    return this.#control('/__release', { gate });
  }

  /** Resolves when the first request since the last `follow` has arrived. */
  async untilAsked(): Promise<void> {
    await this.#firstOnce(() => true);
  }

  /**
   * Resolves when the client of the first request since the last `follow` has disconnected, to the time at which it did
   * (ms since 1970).
   */
  async untilLeft(): Promise<number> {
    const { ended } = await this.#firstOnce((request) => request.ended?.how === 'left');
    return ended?.at ?? 0;
  }

  async #firstOnce(matches: (request: RequestFacts) => boolean): Promise<RequestFacts> {
    const deadline = performance.now() + LOOK_TIMEOUT_MS;
    while (performance.now() < deadline) {
      const [request] = await this.asked();
      if (request && matches(request)) return request;
      await delay(LOOK_MS);
    }
    throw new Error(
      `fake model: what was awaited of its first request is not there after ${LOOK_TIMEOUT_MS} ms`,
    );
  }

  async #control(path: string, body: object): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`fake model ${path}: ${response.status} ${await response.text()}`);
  }
}

/** Returns an answer with these steps and a regular end. */
export const endingAfter = (steps: readonly Step[]): Response => ({
  steps: [...steps, { finish: 'stop' }, { usage: { prompt: 100, completion: 20 } }, { done: true }],
});
