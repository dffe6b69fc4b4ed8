import { buildWorkflowBundle } from './bundle.ts';

const { code } = await buildWorkflowBundle();
process.stdout.write(`workflow bundle: ${code.length} bytes\n`);
