import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';

/**
 * Returns the real path of `path`. If nothing exists there, returns the real path that it will have once it is created.
 */
export const resolveRealPath = (path: string): string => {
  if (existsSync(path)) return realpathSync.native(path);
  const parent = dirname(path);
  return parent === path ? path : join(resolveRealPath(parent), basename(path));
};

/** Reports whether `outer` contains `inner` or is the same folder. Both are real paths. */
export const folderContains = (outer: string, inner: string): boolean => {
  const path = relative(outer, inner);
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
};
