import type { AcceptedSteer, SteerRequest } from '../../../src/contracts/inputs/steering.ts';
import type { SteerOutcome, SteerSender } from '../../../src/gateway/ports/turn-controls.ts';
import { SteerQueue } from '../../../src/protocol/inputs/steer-queue.ts';

/**
 * Messages into turns in memory; the same code judges them as in workflows. No suite holds the rest to the real thing:
 * a turn that nobody has started takes messages, too, and a worker is always there.
 */
export class FakeSteers implements SteerSender {
  readonly accepted: AcceptedSteer[] = [];
  /** Thrown after the message was taken, as when its answer is lost. */
  failure: Error | undefined;
  readonly #queues = new Map<string, SteerQueue>();

  steer(turnId: string, { messageId, content, when, by }: SteerRequest): Promise<SteerOutcome> {
    const queue = this.#queue(turnId);
    const verdict = queue.judge({ messageId, content });
    if (verdict.kind === 'refused') return Promise.resolve(verdict);
    if (verdict.kind === 'counts') {
      const at = '2026-01-02T03:04:05.000Z';
      const steer = { messageId, content, when, by: by ?? { kind: 'temporal' as const }, at };
      queue.accept(steer);
      this.accepted.push(steer);
    }
    return this.failure ? Promise.reject(this.failure) : Promise.resolve({ kind: 'accepted' });
  }

  /** Notes that the turn is about to end. */
  close(turnId: string): void {
    this.#queue(turnId).close();
  }

  #queue(turnId: string): SteerQueue {
    const queue = this.#queues.get(turnId) ?? new SteerQueue();
    this.#queues.set(turnId, queue);
    return queue;
  }
}
