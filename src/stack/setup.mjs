/*
 * Installs what `npm start` and `npm test` need in addition to Node and npm: the locked packages, a Node that runs
 * TypeScript, the chat page, and the Temporal CLI. This is plain JavaScript for Node 20 without a dependency, because
 * it runs before any of these exist. If everything is in place, it only reads and hashes files.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureNodeRuntime } from './setup/node-runtime.mjs';
import { ensurePackages } from './setup/packages.mjs';
import { SetupError } from './setup/run-step.mjs';
import { ensureTemporalCli } from './setup/temporal-cli.mjs';
import { ensureWebPage } from './setup/web-page.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tools = join(root, '.orion', 'tools');

try {
  ensurePackages(root);
  // Called after the packages, because `npm ci` empties the folder that holds the link to the runtime.
  const node = ensureNodeRuntime(root, tools);
  await ensureTemporalCli(tools, process.env);
  ensureWebPage(root, node);
} catch (error) {
  const isSystemError = error instanceof Error && 'syscall' in error;
  if (!(error instanceof SetupError) && !isSystemError) throw error;
  process.stderr.write(`${isSystemError ? `The checkout ${root} cannot be set up: ` : ''}${error.message}\n`);
  process.exitCode = 1;
}
