import { isTempName } from './write-temps.ts';
import type { DirectoryEntry } from './walk.ts';
import { WorkspaceError } from './workspace-error.ts';

/** Names of files that usually hold secrets, in whatever directory. All patterns here are for names in lower case. */
const SECRET_NAMES: readonly RegExp[] = [
  /^\.env/,
  /\.env$/,
  /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/,
  /\.(pem|key|p8|p12|pfx|jks|keystore|ppk|kdbx)$/,
  /^\.(npmrc|netrc|pgpass|pypirc|git-credentials|htpasswd|dockercfg|my\.cnf|mylogin\.cnf)$/,
  /^\.(vault-token|boto|s3cfg|databrickscfg|terraformrc)$/,
  /^(_netrc|pgpass\.conf|rclone\.conf|application_default_credentials\.json)$/,
];

/**
 * Files that hold secrets because of the directory they are in: a pattern for its name, and one for their path from
 * there.
 */
const SECRET_PLACES: readonly (readonly [directory: RegExp, path: RegExp])[] = [
  // Addresses of remotes may hold tokens.
  [/\.git$/, /(^|\/)(config|config\.worktree|credentials)$/],
  [/^\.(ssh|gnupg|aws|azure|kube|password-store)$/, /./],
  [/^\.docker$/, /^config\.json$/],
  [/^\.config$/, /^(gcloud\/.*|gh\/hosts\.ya?ml|git\/credentials|hub)$/],
  [/^\.cargo$/, /^credentials(\.toml)?$/],
  [/^\.(gem|bundle)$/, /^(credentials|config)$/],
  [/^\.m2$/, /^settings(-security)?\.xml$/],
  [/^\.gradle$/, /^gradle\.properties$/],
  [/^\.composer$/, /^auth\.json$/],
  [/^\.terraform\.d$/, /^credentials\.tfrc\.json$/],
];

/**
 * Reports whether a file usually holds secrets: `.env` files, keys, and the credentials of usual tools, which no tool
 * reads (docs/tools.md "Protected files"). All names of the path from the root count, in lower case, because some file
 * systems do not tell `.ENV` from `.env`.
 */
export const isSecretFile = (names: readonly string[]): boolean => {
  const lower = names.map((name) => name.toLowerCase());
  const file = lower.at(-1) ?? '';
  return (
    SECRET_NAMES.some((pattern) => pattern.test(file)) ||
    lower.some((_, index) => isSecretPlace(lower, index))
  );
};

const isSecretPlace = (names: readonly string[], index: number): boolean => {
  const places = SECRET_PLACES.filter(([directory]) => directory.test(names[index] ?? ''));
  if (places.length === 0) return false;
  const path = names.slice(index + 1).join('/');
  return places.some(([, secret]) => secret.test(path));
};

/**
 * Reports whether a component of a path leads into git's own files. What is written there may run on the next git
 * command (hooks, `core.fsmonitor`).
 */
export const isGitInternal = (name: string): boolean => name.toLowerCase() === '.git';

/**
 * Reports whether a component of a path leads to what no tool may write: git's own files, and `.orion`, whose skills
 * are in every later prompt.
 */
export const isWriteProtected = (name: string): boolean =>
  isGitInternal(name) || name.toLowerCase() === '.orion';

/**
 * Throws WorkspaceError for a file that may hold secrets. The walk calls it for the requested name and, if that is a
 * link, for the name that the link leads to: `notes.txt` → `.env` is refused, too.
 */
export const refuseSecret = ({ name, trail }: DirectoryEntry): void => {
  if (isSecretFile(trail)) throw new WorkspaceError('protected', name, 'protected file (may hold secrets)');
};

/** Throws WorkspaceError for a component of a path that no tool writes. */
export const refuseProtected = (name: string): void => {
  if (isWriteProtected(name)) {
    throw new WorkspaceError('protected', name, `inside ${name.toLowerCase()}, which tools do not write`);
  }
  if (isTempName(name)) {
    throw new WorkspaceError('protected', name, 'a name that is kept for unfinished writes');
  }
};
