import type { Response, Rule, Step } from '../support/fake-model/script.ts';

/** The scripted provider of the run, in a process of its own. */
export class BenchModel {
  readonly port: number;

  constructor(port: number) {
    this.port = port;
  }

  /** For `OPENAI_BASE_URL`. */
  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  /** From now on every request gets this response. */
  answerAll(response: Response): Promise<void> {
    return this.follow([{ responses: [response], repeat: true }]);
  }

  /** From now on these rules decide, and no earlier ones. */
  async follow(rules: readonly Rule[]): Promise<void> {
    await this.#control('/__clear', {});
    await this.#control('/__script', { rules });
  }

  /** Opens a gate of a script. */
  release(gate: string): Promise<void> {
    return this.#control('/__release', { gate });
  }

  async #control(path: string, body: object): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`fake model ${path}: ${response.status} ${await response.text()}`);
  }
}

/** An answer with these steps and a regular end. */
export const endingAfter = (steps: readonly Step[]): Response => ({
  steps: [...steps, { finish: 'stop' }, { usage: { prompt: 100, completion: 20 } }, { done: true }],
});
