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

/** The state of one write session, and what follows its changes: the details shown, and a commit that is cancelled. */
export class OpenSession {
  readonly input: WriteSessionInput;
  /** Scope of the commit that is under way. */
  commitScope: CancellationScope | undefined;
  #state: SessionState;
  #tickets = 0;

  constructor(input: WriteSessionInput) {
    this.input = input;
    this.#state = newSession(Date.now(), input.inactivityTimeoutMs);
    showSession(input, this.#state);
  }

  get state(): SessionState {
    return this.#state;
  }

  apply(event: SessionEvent): void {
    this.#state = applyEvent(this.#state, event);
    // Without this, a commit that cannot finish would keep the session from being cancelled.
    if (this.#state.closing === 'cancelled') this.commitScope?.cancel();
    showSession(this.input, this.#state);
  }

  newTicket(): number {
    this.#tickets += 1;
    return this.#tickets;
  }

  answerTo(ticket: number): FinalizeOutcome | undefined {
    return this.#state.outcomes[ticket];
  }
}
