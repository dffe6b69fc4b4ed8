import {
  ASK_USER,
  BEGIN_WRITE_SESSION,
  BUILT_IN_TOOLS,
  FILE_WRITERS,
} from '../../contracts/tools/built-in-tools.ts';
import type { TurnUndoResponse } from '../../contracts/http/turn-api.ts';
import type { FileChangeRepository } from '../../db/turns/file-change-repository.ts';
import { type FileTexts, readTurnTexts } from '../../files/commit/turn-texts.ts';
import { type TurnToUndo, undoTurn, type UndoTurnDeps } from '../../files/commit/undo-turn.ts';
import { toolLabel } from '../../contracts/tools/tool-name.ts';

/** Takes back what turns have changed in files (docs/tools.md "Undo"). */
export interface TurnUndo {
  /**
   * Takes back what an ended turn has changed. Rejects when the database cannot be reached. The same call then
   * continues later.
   */
  undo(turn: TurnToUndo): Promise<TurnUndoResponse>;
  /**
   * Returns the contents of a file before the turn and after it, or why they are not shown. Returns undefined when the
   * turn has not changed the file. Rejects with WorkspaceError, or when the database cannot be reached.
   */
  readTexts(turn: TurnToUndo, path: string): Promise<FileTexts | undefined>;
}

/** Tools whose changes an undo can take back, since copies of the files are kept. */
const FILE_WRITING_TOOLS = [...FILE_WRITERS, BEGIN_WRITE_SESSION];
/** Labels of the tools about which an undo need not report: it takes their changes back, or they make none. */
const UNREPORTED_TOOLS: ReadonlySet<string> = new Set(
  [...BUILT_IN_TOOLS, ASK_USER]
    .filter(({ name, effect }) => effect === 'read' || FILE_WRITING_TOOLS.includes(name))
    .map(({ name }) => toolLabel(name)),
);

/** Creates the undo over the workspace, the copies of files, and what is stored of turns. */
export const createTurnUndo = (
  deps: UndoTurnDeps & { readonly changes: FileChangeRepository },
): TurnUndo => ({
  async undo({ turnId, projectId }) {
    const files = await undoTurn(deps, { turnId, projectId }, new Date());
    const tools = await deps.changes.listTools(turnId);
    return { turnId, files: [...files], otherTools: tools.filter((label) => !UNREPORTED_TOOLS.has(label)) };
  },
  readTexts: (turn, path) => readTurnTexts(deps, turn, path),
});
