import { WRITE_SESSION_TEXTS } from '../../contracts/write-session/write-session-texts.ts';
import type { Timers } from '../process/cli-process.ts';

export interface IdleQuestionOptions {
  readonly after: Timers['after'];
  readonly idleMs: number;
  readonly report: (line: string) => void;
}

/** Asks whether a text is finished, once per silence and never before its first word (docs/write-sessions.md). */
export class IdleQuestion {
  readonly #options: IdleQuestionOptions;
  #cancelTimer: (() => void) | undefined;

  constructor(options: IdleQuestionOptions) {
    this.#options = options;
  }

  /** Notes that text has come, and waits for the next silence of `idleMs`. */
  restart(): void {
    this.stop();
    const { after, idleMs, report } = this.#options;
    this.#cancelTimer = after(idleMs, () => report(WRITE_SESSION_TEXTS.idlePrompt));
  }

  /** Asks nothing until `restart` is called again. */
  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}
