import type { CancellationScope } from '@temporalio/workflow';
import type { WriteSessionInput } from '../../src/contracts/payload/session-workflow-payloads.ts';
import type { FinalizeOutcome } from '../../src/contracts/write-session/session-messages.ts';
import {
  applyEvent,
  newSession,
  type SessionEvent,
  type SessionState,
} from '../../src/write-session/session-state.ts';
import { showSession } from './session-visibility.ts';

/**
 * The state of one write session. Each change updates the shown details, and a cancel also cancels the running commit.
 */
export class OpenSession {
  readonly input: WriteSessionInput;
  /** The scope of the running commit. Undefined while there is none. */
  commitScope: CancellationScope | undefined;
  #state: SessionState;
  #tickets = 0;

  constructor(input: WriteSessionInput) {
    this.input = input;
    this.#state = newSession(Date.now(), input.inactivityTimeoutMs);
    showSession(input, this.#state);
  }

  /** The present state. `apply` replaces it. */
  get state(): SessionState {
    return this.#state;
  }

  /** Applies an event to the state. */
  apply(event: SessionEvent): void {
    this.#state = applyEvent(this.#state, event);
    // Without this, a commit that cannot finish would keep the session from being cancelled.
    if (this.#state.closing === 'cancelled') this.commitScope?.cancel();
    showSession(this.input, this.#state);
  }

  /** Returns a new number, under which a finalize finds its outcome. */
  newTicket(): number {
    this.#tickets += 1;
    return this.#tickets;
  }

  /** Returns the outcome of the finalize with this number, undefined while it has none. */
  answerTo(ticket: number): FinalizeOutcome | undefined {
    return this.#state.outcomes[ticket];
  }
}
