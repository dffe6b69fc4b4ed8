import { log } from '@temporalio/activity';
import type { CallModelInput } from '../../src/contracts/payload/turn-activity-payloads.ts';
import type { WriteSessions } from '../../src/write-session-service/write-sessions.ts';

export interface SessionKeepAliveDeps {
  readonly writeSessions: Pick<WriteSessions, 'touch'>;
  /** Milliseconds of silence after which a session expires, unless the turn says otherwise. */
  readonly sessionInactivityMs: number;
}

/**
 * Largest number of touches within one inactivity timeout. Each touch is an event in the history of the session's
 * workflow.
 */
const TOUCHES_PER_TIMEOUT = 10;

/** Keeps a write session from expiring while a model call streams its content. Does nothing for any other call. */
export class SessionKeepAlive {
  readonly #deps: SessionKeepAliveDeps;
  readonly #sessionId: string | undefined;
  readonly #gapMs: number;
  #touchedAt = Date.now();

  constructor(deps: SessionKeepAliveDeps, { options, sessionInactivityMs }: CallModelInput) {
    this.#deps = deps;
    this.#sessionId = options.writeSession?.sessionId;
    this.#gapMs = (sessionInactivityMs ?? deps.sessionInactivityMs) / TOUCHES_PER_TIMEOUT;
  }

  /**
   * Touches the session because text has come, but at most once in each tenth of its inactivity timeout. Never waits
   * and never throws: if a touch is lost, later text touches again.
   */
  touch(): void {
    if (this.#sessionId === undefined || Date.now() - this.#touchedAt < this.#gapMs) return;
    this.#touchedAt = Date.now();
    this.#deps.writeSessions.touch(this.#sessionId).catch((error: unknown) => {
      log.warn('write session not touched', { err: error, sessionId: this.#sessionId });
    });
  }
}
