import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker';

const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
const preloadPath = fileURLToPath(new URL('../workflows/preload.ts', import.meta.url));

/** Bundles the workflow code for the sandbox (about 1 s); throws when it reaches anything of Node. */
export const buildWorkflowBundle = (): Promise<WorkflowBundleWithSourceMap> =>
  bundleWorkflowCode({ workflowsPath, preloadModules: [preloadPath], logger: quiet });

const silent = (): void => undefined;
const say = (message: string): void => void process.stderr.write(`${message}\n`);
/** The bundler's progress is of no use to an operator; an error names the import that is at fault. */
const quiet = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: say };
