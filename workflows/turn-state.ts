import type { CloseTurnInput } from '../src/contracts/model-call.ts';
import type { TurnEvent } from '../src/contracts/turn-event.ts';
import type { TurnProgress } from '../src/contracts/turn-messages.ts';

/** What the Web UI, the status query and the closed row show of a turn; derived from its events alone. */
export class TurnState {
  #phase: TurnProgress['phase'] = null;
  #cycle = 0;
  #duplicatesRefused = 0;

  /** Takes in one event; true when what is shown of the turn has changed. */
  observe(event: TurnEvent): boolean {
    switch (event.type) {
      case 'phase':
        this.#phase = { index: event.index, kind: event.phase };
        this.#cycle = event.cycle;
        return true;
      case 'tool_result':
        this.#cycle += 1;
        return true;
      case 'chunk':
        if (event.notice === 'duplicate' || event.notice === 'duplicate_limit') this.#duplicatesRefused += 1;
        return false;
      default:
        return false;
    }
  }

  progress(cancelRequested: boolean): TurnProgress {
    return { phase: this.#phase, cycle: this.#cycle, cancelRequested };
  }

  /** Tokens of withdrawn text are estimated (characters / 4): its attempt died before it could report any. */
  figures(discardedCharacters: number): Pick<CloseTurnInput, 'phase' | 'cycle' | 'waste'> {
    return {
      phase: this.#phase?.index ?? 0,
      cycle: this.#cycle,
      waste: {
        duplicatesRefused: this.#duplicatesRefused,
        retriedTokens: Math.ceil(discardedCharacters / 4),
        discardedCharacters,
      },
    };
  }
}
