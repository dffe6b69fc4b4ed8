import { createHash, randomBytes } from 'node:crypto';
import type { ApiKeyEntry } from './api-keys.ts';

/** Number of random bytes of a key. Nobody can guess that many, so a plain digest is enough to recognise a key. */
const KEY_BYTES = 32;
/** The beginning of every key, by which people and secret scanners recognise a key of Orion. */
const PREFIX = 'orion_';

/** A new key, and the entry of the file of keys by which it is recognised. The entry does not contain the key. */
export interface NewKey {
  readonly key: string;
  readonly entry: ApiKeyEntry;
}

/**
 * Draws a key. If `name` is undefined, the key is named after its digest. `projects` are ids, or `*` for every project.
 */
export const newKey = (name: string | undefined, projects: readonly string[]): NewKey => {
  const key = `${PREFIX}${randomBytes(KEY_BYTES).toString('base64url')}`;
  const sha256 = createHash('sha256').update(key).digest('hex');
  return { key, entry: { name: name ?? `key-${sha256.slice(0, 8)}`, sha256, projects: [...projects] } };
};
