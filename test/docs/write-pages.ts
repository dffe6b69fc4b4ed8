import { writeFile } from 'node:fs/promises';
import { makePages } from './made-pages.ts';

for (const [path, text] of await makePages()) await writeFile(path, text);
