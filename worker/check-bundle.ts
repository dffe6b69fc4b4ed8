/*
 * Checks, as part of `npm run verify`, that the workflow code can be bundled. The script fails if it cannot.
 */
import { buildWorkflowBundle } from './bundle.ts';

const { code } = await buildWorkflowBundle();
process.stdout.write(`workflow bundle: ${code.length} bytes\n`);
