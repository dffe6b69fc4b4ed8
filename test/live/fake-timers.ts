import type { Clock } from '../../src/base/clock.ts';

interface Planned {
  readonly at: number;
  readonly run: () => void;
}

/** Lets everything that waits for promises go on. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Time that passes only when a test says so; whatever a timer sets off has settled before the next one runs. */
export class FakeTimers implements Pick<Clock, 'after'> {
  now = 0;
  #planned: Planned[] = [];

  after(ms: number, run: () => void): () => void {
    const planned = { at: this.now + ms, run };
    this.#planned.push(planned);
    return () => {
      this.#planned = this.#planned.filter((other) => other !== planned);
    };
  }

  get count(): number {
    return this.#planned.length;
  }

  async advance(ms: number): Promise<void> {
    const until = this.now + ms;
    await settle();
    for (let next = this.#next(until); next; next = this.#next(until)) {
      this.#planned = this.#planned.filter((other) => other !== next);
      this.now = next.at;
      next.run();
      await settle();
    }
    this.now = until;
  }

  #next(until: number): Planned | undefined {
    return this.#planned.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
  }
}
