import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type BundleOptions, type WorkflowBundleWithSourceMap } from '@temporalio/worker';

const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
const interceptorsPath = fileURLToPath(new URL('../workflows/sdk/ended-tasks.ts', import.meta.url));
const preloadPath = fileURLToPath(new URL('../workflows/preload.ts', import.meta.url));

/**
 * Bundles the workflow code for the sandbox (about 1 s); throws when it reaches anything of Node. All workflows of a
 * worker share its modules: evaluating them again for each (zod's schemas, the protocol core, SHA-256's tables) took
 * most of its first task. So none of them may keep anything between two calls (`test/workflows/preload.test.ts`).
 */
export const buildWorkflowBundle = (): Promise<WorkflowBundleWithSourceMap> =>
  bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [interceptorsPath],
    preloadModules: [preloadPath, workflowsPath, interceptorsPath],
    webpackConfigHook: keepAsyncGenerators,
    logger: quiet,
  });

/**
 * The SDK compiles TypeScript for ES2017, where an async generator becomes helpers that create twice as many promises.
 * The sandbox takes a stack trace for each promise: a third of a turn's time in the workflow thread.
 */
const keepAsyncGenerators: NonNullable<BundleOptions['webpackConfigHook']> = (config) => {
  const rules = config.module?.rules?.map((rule) =>
    typeof rule === 'object' && rule && usesSwc(rule.use)
      ? { ...rule, use: { ...rule.use, options: { ...rule.use.options, jsc: SWC_TARGET } } }
      : rule,
  );
  return { ...config, module: { ...config.module, ...(rules && { rules }) } };
};

const SWC_TARGET = { target: 'es2022', parser: { syntax: 'typescript' } };

const usesSwc = (use: unknown): use is { loader: string; options: object } =>
  typeof use === 'object' &&
  use !== null &&
  'loader' in use &&
  typeof use.loader === 'string' &&
  use.loader.includes('swc-loader');

const silent = (): void => undefined;
/** The bundler's progress is of no use to an operator; its failures are thrown. */
const quiet = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent };
