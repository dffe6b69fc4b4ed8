const SECRET_NAMES: readonly RegExp[] = [
  /^\.env/,
  /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/,
  /\.(pem|key|p12|pfx|jks|keystore|ppk)$/,
  /^\.(npmrc|netrc|pgpass|pypirc|git-credentials|htpasswd)$/,
  /^_netrc$/,
];

/**
 * True for files that usually hold secrets: `.env*` and key files, which no tool reads unless configured
 * (tools.md "Workspace jail"). Judged in lower case: some file systems do not tell `.ENV` from `.env`.
 */
export const isSecretFile = (name: string): boolean =>
  SECRET_NAMES.some((pattern) => pattern.test(name.toLowerCase()));

/**
 * True for the component that leads into git's own files. Writing there would run code on the next git command
 * (hooks, `core.fsmonitor`).
 */
export const isGitInternal = (name: string): boolean => name.toLowerCase() === '.git';

/**
 * True for a component that leads to what no tool may write: git's own files, and `.orion`, whose skills stand in
 * every later prompt.
 */
export const isWriteProtected = (name: string): boolean =>
  isGitInternal(name) || name.toLowerCase() === '.orion';
