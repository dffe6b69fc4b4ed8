import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { nodePackage } from './checksums.mjs';
import { NPM_FETCH_ARGS, npmCommand, runStep, SetupError } from './run-step.mjs';

/** The version of Node that set-up installs. The packages in checksums.mjs have the same version. */
const VERSION = '24.21.0';

/** Reports whether the Node that runs this script also runs the sources, and was not installed by set-up. */
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
 * Installs a package by a lock file, so that npm accepts only the content that is known here. Throws SetupError.
 * @param {{ name: string, integrity: string }} nodePackage
 * @param {string} prefix
 */
const install = ({ name, integrity }, prefix) => {
  const dependencies = { [name]: VERSION };
  const entry = { version: VERSION, integrity };
  const packages = { '': { dependencies }, [`node_modules/${name}`]: entry };
  mkdirSync(prefix, { recursive: true });
  writeFileSync(join(prefix, 'package.json'), JSON.stringify({ private: true, dependencies }));
  writeFileSync(join(prefix, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
  // `--prefix` makes sure that npm installs here, and not into the checkout around this folder.
  const installArgs = ['ci', '--prefix', prefix, '--ignore-scripts'];
  const [command, args] = npmCommand([...installArgs, ...NPM_FETCH_ARGS]);
  const { ok, output } = runStep(`installing Node ${VERSION}`, command, args, { cwd: prefix });
  if (ok) return;
  throw new SetupError(
    `Orion needs Node 22.18 or newer; this is ${process.version}, and installing ${name}@${VERSION} failed.\n` +
      `Install Node 24 yourself (https://nodejs.org) and start again.\n${output}`,
  );
};

/**
 * Makes `link` a relative link to `target`.
 * @param {string} link
 * @param {string} target
 */
const ensureLink = (link, target) => {
  const relativeTarget = relative(dirname(link), target);
  try {
    if (readlinkSync(link) === relativeTarget) return;
  } catch {
    // There is no link yet, or something else has its place.
  }
  rmSync(link, { force: true });
  symlinkSync(relativeTarget, link);
};

/**
 * Returns the path of a Node that strips types. If the machine's own does not, installs one and links
 * `node_modules/.bin/node` to it, because npm puts the folder of the link first on PATH for the script that follows.
 * Throws SetupError if none can be installed.
 * @param {string} root
 * @param {string} tools
 * @returns {string}
 */
export const ensureNodeRuntime = (root, tools) => {
  if (machineNodeSuffices(tools)) return process.execPath;
  if (!nodePackage) {
    throw new SetupError(
      `Orion needs Node 22.18 or newer; this is ${process.version}, and no Node is known for ${process.platform}-${process.arch}: ` +
        'install Node 24 yourself (https://nodejs.org) and start again.',
    );
  }
  const { name } = nodePackage;
  const prefix = join(tools, 'node');
  const folder = join(prefix, 'node_modules', name);
  const binary = join(folder, 'bin', 'node');
  if (!existsSync(binary) || installedVersion(folder) !== VERSION) install(nodePackage, prefix);
  ensureLink(join(root, 'node_modules', '.bin', 'node'), binary);
  return binary;
};
