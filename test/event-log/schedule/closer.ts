import { packEvents } from '../../../src/protocol/event-log/event-log.ts';
import type { Close } from './database.ts';
import type { Workflow } from './workflow.ts';
import type { EventWorld } from './event-world.ts';

/**
 * One attempt of `closeTurn`: it stores the end, publishes to the lane and replies, and may die between any two of
 * these.
 */
export class Closer {
  isOver = false;
  readonly #world: EventWorld;
  readonly #workflow: Workflow;
  readonly #close: Close;
  #next = 0;

  constructor(world: EventWorld, workflow: Workflow, close: Close) {
    this.#world = world;
    this.#workflow = workflow;
    this.#close = close;
  }

  act(): void {
    const { isFaulty, random, rules } = this.#world;
    if (isFaulty && random.chance(0.15)) {
      this.isOver = true;
      return;
    }
    const order = rules.terminalAfterCommit
      ? (['commit', 'publish'] as const)
      : (['publish', 'commit'] as const);
    const step = order[this.#next];
    this.#next += 1;
    if (step === 'commit') {
      this.#world.database.close(this.#close);
    } else if (step === 'publish') {
      this.#publish();
    } else {
      this.isOver = true;
      this.#workflow.closed(this);
    }
  }

  /**
   * Publishes the stored end, whoever closed the turn; if none is stored yet, publishes the one that this close would
   * store.
   */
  #publish(): void {
    const { database } = this.#world;
    this.#world.publish(packEvents([database.terminal ?? database.terminalOf(this.#close)]));
  }
}
