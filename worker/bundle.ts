import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type BundleOptions, type WorkflowBundleWithSourceMap } from '@temporalio/worker';

const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
const interceptorsPath = fileURLToPath(new URL('../workflows/sdk/ended-tasks.ts', import.meta.url));
const preloadPath = fileURLToPath(new URL('../workflows/preload.ts', import.meta.url));

/**
 * Bundles the workflow code for the sandbox, which takes about a second. Rejects if the code reaches a module of Node.
 *
 * All workflows of a worker share one evaluation of the modules. Evaluating zod's schemas, the protocol core and
 * SHA-256's tables for each workflow took most of its first task. Modules must therefore keep nothing between two calls
 * (`test/workflows/preload.test.ts`).
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
 * Makes the bundler compile for ES2022. The SDK compiles TypeScript for ES2017, where an async generator becomes
 * helpers that create twice as many promises. The sandbox takes a stack trace for each promise, which took a third of a
 * turn's time in the workflow thread.
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
/** A logger that writes nothing. The bundler's progress is of no use to an operator, and its failures are thrown. */
const quiet = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent };
