import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Target } from './attack.ts';

/** A message to the attacking process: which attack to begin, or that it has to stop. */
export type Order = { readonly attack: string; readonly target: Target } | { readonly stop: true };

/** Attacks from a process of its own, so that the measuring process does nothing else. */
export class Attacker {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(): Promise<Attacker> {
    const child = fork(fileURLToPath(new URL('attacker-main.ts', import.meta.url)));
    await once(child, 'message');
    return new Attacker(child);
  }

  begin(attack: string, target: Target): void {
    this.#child.send({ attack, target } satisfies Order);
  }

  /** Stops the attack; resolves when its sockets are closed. */
  async end(): Promise<void> {
    this.#child.send({ stop: true } satisfies Order);
    await once(this.#child, 'message');
  }

  stop(): void {
    this.#child.disconnect();
  }
}
