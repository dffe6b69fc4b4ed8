import { createHash } from 'node:crypto';
import type { WriteTarget } from './replace-file.ts';
import { isSecretFile } from './protected-files.ts';
import { withTarget } from './target-file.ts';
import type { DirectoryEntry } from './walk.ts';
import { withWorkspaceErrors, WorkspaceError } from './workspace-error.ts';
import type { Workspace } from './workspace.ts';
import { MIB } from '../../contracts/values/units.ts';

/** A text file that a tool may edit: its bytes, and their SHA-256 in hex. */
export interface EditableFile {
  readonly content: Buffer;
  readonly sha256: string;
}

/** Largest file, in bytes, that is edited. It is read and changed in memory. */
export const MAX_EDITABLE_BYTES = 10 * MIB;

/**
 * Passes to `use` the whole content of a text file that may be read and written, and the place where it is written.
 * Rejects with WorkspaceError, also for a binary file, for one of more than 10 MiB, and for a secret, since its content
 * would show in the result of an edit. Rejects with what `use` rejects with.
 */
export const withEditableFile = <T>(
  workspace: Workspace,
  projectId: string,
  path: string,
  use: (file: EditableFile, target: WriteTarget) => Promise<T>,
): Promise<T> =>
  workspace.withEntry(projectId, path, { makesDirectories: false }, async (entry, key) => {
    if (isSecretFile(entry.trail)) {
      throw new WorkspaceError('protected', path, 'protected file (may hold secrets)');
    }
    return use(await withWorkspaceErrors(path, () => readEditable(entry, path)), { entry, path, key });
  });

const readEditable = async (entry: DirectoryEntry, path: string): Promise<EditableFile> => {
  const content = await withTarget(entry, async (handle) => {
    const { size } = await handle.stat();
    if (size > MAX_EDITABLE_BYTES) throw tooLargeToEditError(path, size);
    return handle.readFile();
  });
  if (content === undefined) throw new WorkspaceError('not_found', path, 'not found');
  // The file may have grown since its size was read.
  if (content.length > MAX_EDITABLE_BYTES) throw tooLargeToEditError(path, content.length);
  if (content.includes(0)) {
    throw new WorkspaceError(
      'not_text',
      path,
      `binary file, cannot be edited as text (${content.length} bytes)`,
    );
  }
  return { content, sha256: createHash('sha256').update(content).digest('hex') };
};

/** Returns the refusal of a file that is, or would become, larger than what is edited in memory. */
export const tooLargeToEditError = (path: string, bytes: number): WorkspaceError =>
  new WorkspaceError(
    'too_large',
    path,
    `file too large to edit: expected at most ${MAX_EDITABLE_BYTES} bytes, received ${bytes}`,
  );
