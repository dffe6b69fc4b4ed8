/*
 * Runs as `node src/access/first-key.ts <file of keys> <file of the key>`. Makes a key for all projects unless the file
 * of keys exists. Writes the key to a file, because what is printed stays in logs.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { newKey } from './new-key.ts';

const [keysPath, keyPath] = process.argv.slice(2);
if (keysPath === undefined || keyPath === undefined) {
  throw new Error('expected the paths of the files of keys and of the key, received fewer');
}
if (!existsSync(keysPath)) {
  const { key, entry } = newKey('first', ['*']);
  // The key is written first, because a crash in between must not leave an entry whose key nobody has.
  writeFileSync(keyPath, `${key}\n`, { mode: 0o600 });
  writeFileSync(keysPath, `${JSON.stringify([entry], null, 2)}\n`, { flag: 'wx' });
  process.stdout.write(`An API key for all projects is in ${keyPath}.\n`);
}
