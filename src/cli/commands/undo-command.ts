import { safeInLine } from '../../base/text/safe-for-terminal.ts';
import type { TurnUndoResponse, UndoneFile } from '../../contracts/http/turn-api.ts';
import type { CommandNamed } from '../args/command.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { withRetries } from '../http/retry.ts';
import { resolveTurn } from '../turn/resolve-turn.ts';
import { jsonLine } from '../render/output.ts';

/** Runs `orion undo`: gives the files of a turn their earlier content back, and reports the result for each. */
export const runUndo = async (
  context: CliContext,
  { turnId: idOrPrefix }: CommandNamed<'undo'>,
): Promise<ExitCode> => {
  const { turns, retry, screen, printsJson } = context;
  const resolved = await resolveTurn(context, idOrPrefix);
  if (resolved.kind === 'none') return resolved.code;
  // A repeated call continues where an interrupted one stopped, so the call may be retried.
  const response = await withRetries(retry, () => turns.undo(resolved.turn.turnId));
  if (printsJson) screen.write(jsonLine(response));
  else for (const line of undoLines(response)) screen.writeLine(line);
  return response.files.some(({ outcome }) => outcome === 'refused') ? EXIT.failed : EXIT.done;
};

const undoLines = ({ files, otherTools }: TurnUndoResponse): readonly string[] => [
  ...(files.length === 0 ? ['The turn changed no file by itself.'] : files.map(fileLine)),
  ...(otherTools.length === 0
    ? []
    : [`What these have changed stays as it is: ${otherTools.map(safeInLine).join(', ')}`]),
];

const fileLine = ({ path, outcome, reason }: UndoneFile): string => {
  const shownPath = safeInLine(path);
  switch (outcome) {
    case 'restored':
      return `✓ ${shownPath} holds again what it held before the turn`;
    case 'removed':
      return `✓ ${shownPath} is removed: the turn had made it`;
    case 'unchanged':
      return `· ${shownPath} is as it was before the turn, or was taken back already`;
    case 'refused':
      return `✗ ${shownPath} — ${safeInLine(reason ?? 'refused')}`;
    default:
      return outcome satisfies never;
  }
};
