import { writeFileSync } from 'node:fs';
import { buildWorkflowBundle } from './bundle.ts';

/** Builds the workflow bundle for workers that are started later: `node worker/write-bundle.ts <path>`. */
const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('expected the path to write the bundle to, received nothing');
const { code } = await buildWorkflowBundle();
writeFileSync(path, code);
