import type { TurnStatus } from '../turn/turn-facts.ts';
import type { TerminalEvent } from './turn-event.ts';

/** How a turn ended: in its row, and as the result of its workflow, which the Web UI shows. */
export interface TurnOutcome {
  readonly status: TurnStatus;
  /** The reason of `done`, or the code of `error`. */
  readonly reason: string;
}

/** Returns the outcome of a turn that ended with this event. */
export const turnOutcomeOf = (terminal: TerminalEvent): TurnOutcome =>
  terminal.type === 'done'
    ? { status: terminal.status, reason: terminal.reason }
    : { status: 'failed', reason: terminal.code };
