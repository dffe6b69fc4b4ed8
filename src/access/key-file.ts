import { readFileSync, statSync } from 'node:fs';
import { errorMessage } from '../contracts/values/error-message.ts';
import { ConfigError } from '../base/errors/config-error.ts';
import { fileProblems } from '../base/errors/file-problems.ts';
import type { Log } from '../base/log.ts';
import { hasBoundKeys, findKey, parseApiKeys, type ApiKey } from './api-keys.ts';

const VARIABLE = 'ORION_API_KEYS_FILE';
/**
 * Time in milliseconds between two checks of the file. It is polled, because events of the file system get lost on
 * network volumes, and when the file is replaced through a link.
 */
const WATCH_MS = 1_000;

/**
 * Reads the keys of a file. Throws ConfigError when the file cannot be read or used. The error has the first
 * `MAX_PROBLEMS` problems, and the number of the others.
 */
export const readApiKeys = (path: string): readonly ApiKey[] => {
  const parsed = parseApiKeys(readText(path));
  if (parsed.kind === 'keys') return parsed.keys;
  throw new ConfigError(fileProblems({ variable: VARIABLE, path }, parsed.problems));
};

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const reason = errorMessage(error);
    throw new ConfigError([
      `${VARIABLE}: expected the path of a readable file, received ${JSON.stringify(path)} (${reason})`,
    ]);
  }
};

/** The API keys that count now. The file of keys is read again when it changes. */
export interface Keyring {
  /** Finds the key that a client has presented, as `findKey` does. */
  find(presented: string): ApiKey | undefined;
  /** Finds the key with this name, for a client that has presented it before. */
  findByName(name: string): ApiKey | undefined;
  /** Stops watching the file of keys. */
  close(): void;
}

/** The part of a pino logger that the keyring uses. */
export type KeyringLog = Pick<Log, 'info' | 'error'>;

export interface KeyringOptions {
  readonly path: string;
  readonly log: KeyringLog;
  /** True when keys may be bound to projects. If false, such keys would open each other's files, and are refused. */
  readonly allowsBoundKeys: boolean;
  /**
   * Models without a price. If there are any, a file in which a key has a budget is refused. Absent means that there
   * are none.
   */
  readonly unpricedModels?: readonly string[];
  /** Time in milliseconds between two checks of the file. Absent means `WATCH_MS`. */
  readonly watchMs?: number;
}

/**
 * Opens the file of keys and follows its changes. An edit that cannot be used is logged, and the old keys stay, because
 * a slip of an editor must not lock everybody out, nor let anybody in. Throws ConfigError when the file cannot be used
 * at the beginning.
 */
export const openKeyring = ({
  path,
  log,
  allowsBoundKeys,
  unpricedModels = [],
  watchMs = WATCH_MS,
}: KeyringOptions): Keyring => {
  let version = versionOf(path);
  const readKeys = (): readonly ApiKey[] => {
    const keysOfFile = readApiKeys(path);
    if (unpricedModels.length > 0 && keysOfFile.some(({ costPerDay }) => costPerDay !== undefined)) {
      throw new ConfigError([
        `ORION_PRICES_FILE: expected a price of every model, since a key has a budget, received none of ${unpricedModels.join(', ')}`,
      ]);
    }
    if (allowsBoundKeys || !hasBoundKeys(keysOfFile)) return keysOfFile;
    throw new ConfigError([
      'ORION_PROJECT_FOLDERS: expected on (or off) with API keys that are bound to projects, received nothing: start Orion again',
    ]);
  };
  let keys = readKeys();
  const reloadIfChanged = (): void => {
    const newVersion = versionOf(path);
    if (newVersion === version) return;
    version = newVersion;
    try {
      keys = readKeys();
      log.info({ keys: keys.map(({ name }) => name) }, 'API keys were read again');
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      log.error({ problems: error.problems }, 'the changed API keys cannot be used: the old ones stay');
    }
  };
  const timer = setInterval(reloadIfChanged, watchMs).unref();
  return {
    find: (presented) => findKey(keys, presented),
    findByName: (name) => keys.find((key) => key.name === name),
    close: () => clearInterval(timer),
  };
};

/** Returns a text that changes when the file is written, replaced, or no longer reached. */
const versionOf = (path: string): string => {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return String(error);
  }
};
