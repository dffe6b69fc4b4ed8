import type { Random } from '../../support/random.ts';
import { eventually } from '../../support/eventually.ts';
import type { OrionStack } from '../../support/orion-stack.ts';
import { logLine } from '../../support/test-log.ts';

/**
 * The roles of the processes that are killed; a role that stands here more often is killed more often. `all workers`
 * are killed together.
 */
const VICTIMS = ['worker', 'worker', 'worker', 'all workers', 'gateway', 'gateway', 'temporal'] as const;

/** Kills one process of a stack after the other with `kill -9`, each time after the turns have made progress. */
export class Killer {
  readonly killed: Record<string, number> = {};
  readonly #stack: OrionStack;
  readonly #random: Random;
  readonly #perKill: number;
  #frames = 0;
  #isOver = false;

  /** `perKill` is the most frames that all readers together get between two kills. */
  constructor(stack: OrionStack, random: Random, perKill: number) {
    this.#stack = stack;
    this.#random = random;
    this.#perKill = perKill;
  }

  get count(): number {
    return Object.values(this.killed).reduce((sum, kills) => sum + kills, 0);
  }

  /** Notes that a reader was shown a frame. */
  readonly note = (): void => void (this.#frames += 1);

  stop(): void {
    this.#isOver = true;
  }

  async run(): Promise<void> {
    while (!this.#isOver) {
      const until = this.#frames + this.#random.below(this.#perKill);
      await eventually('turns that go on', () => this.#isOver || this.#frames >= until);
      if (!this.#isOver) await this.#kill(this.#random.pick(VICTIMS) ?? 'worker');
    }
  }

  async #kill(victim: (typeof VICTIMS)[number]): Promise<void> {
    const role = victim === 'all workers' ? 'worker' : victim;
    const pids = await this.#stack.pidsOf(role);
    const chosen = victim === 'all workers' ? pids : pids.slice(0, 1);
    if (chosen.length === 0) return;
    logLine(`${new Date().toISOString()} kill ${victim} after ${this.#frames} frames`);
    this.killed[victim] = (this.killed[victim] ?? 0) + 1;
    for (const pid of chosen) killIfThere(pid);
  }
}

/** Kills a process; one that has just ended by itself is just as dead. */
const killIfThere = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
};
