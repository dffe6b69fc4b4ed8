import { existsSync, writeFileSync } from 'node:fs';
import { newKey } from './new-key.ts';

/** `node src/access/first-key.ts <file>`: writes a file with a key for all projects, and shows the key, once. */
const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('expected the path of the file to write, received nothing');
if (!existsSync(path)) {
  const { key, entry } = newKey('first', ['*']);
  writeFileSync(path, `${JSON.stringify([entry], null, 2)}\n`, { flag: 'wx' });
  process.stdout.write(`API key for all projects (Authorization: Bearer …), shown only now: ${key}\n`);
}
