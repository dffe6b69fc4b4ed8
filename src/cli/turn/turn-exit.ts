import type { TerminalEvent } from '../../contracts/wire/turn-event.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';

/** Exit code of a turn by how it ended. */
export const exitCodeOf = (terminal: TerminalEvent): ExitCode => {
  if (terminal.type === 'error') return EXIT.failed;
  switch (terminal.reason) {
    case 'answered':
      return EXIT.done;
    case 'cancelled':
      return EXIT.interrupted;
    case 'cycles':
    case 'duplicates':
    case 'malformed':
    case 'refusals':
    case 'no_progress':
    case 'repetition':
    case 'time':
    case 'tokens':
    case 'length':
      return EXIT.forced;
    default:
      return terminal.reason satisfies never;
  }
};
