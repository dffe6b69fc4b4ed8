import { isUnprintable } from '../../contracts/values/printable-name.ts';
import { WorkspaceError } from './workspace-error.ts';

/** PATH_MAX of Linux. Together with `MAX_LINKS` of walk.ts it bounds the number of directories that one walk opens. */
const MAX_PATH_BYTES = 4096;

/**
 * Returns the components of a workspace path as the model wrote it, `[]` for the root itself (docs/tools.md). `\`
 * counts as `/`. `.` and `..` are folded lexically, as in the duplicate rule of the protocol core. Throws
 * WorkspaceError for a path that is empty, absolute, too long, leads outside, or is no valid text.
 */
export const parseWorkspacePath = (path: string): string[] => {
  if (path.trim() === '') {
    throw new WorkspaceError('invalid_path', path, 'path is empty (the workspace root is ".")');
  }
  if (path.includes('\0')) throw new WorkspaceError('invalid_path', path, 'path holds a NUL character');
  if (!path.isWellFormed()) throw new WorkspaceError('invalid_path', path, 'path is no valid Unicode text');
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw new WorkspaceError('invalid_path', path, 'path too long');
  }
  const normalised = path.replaceAll('\\', '/');
  if (normalised.startsWith('/') || /^[A-Za-z]:/.test(normalised)) throw outsideWorkspaceError(path);
  return fold(normalised, path);
};

const fold = (normalised: string, path: string): string[] => {
  const components: string[] = [];
  for (const component of normalised.split('/')) {
    if (component === '' || component === '.') continue;
    if (component !== '..') components.push(component);
    else if (components.pop() === undefined) throw outsideWorkspaceError(path);
  }
  return components;
};

/** Returns the refusal of a path that leads out of the workspace. */
export const outsideWorkspaceError = (path: string): WorkspaceError =>
  new WorkspaceError('outside', path, 'outside the workspace');

/**
 * Throws WorkspaceError for an unprintable name of a file that is about to be made, because people and models would be
 * shown it.
 */
export const refuseUnprintable = (name: string): void => {
  if (isUnprintable(name)) {
    throw new WorkspaceError(
      'invalid_path',
      name,
      'name holds control, bidirectional or invisible characters',
    );
  }
};
