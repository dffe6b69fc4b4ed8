import { execFile, type ExecFileOptions } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SUPPORT = fileURLToPath(new URL('.', import.meta.url));
const run = promisify(execFile);

/** The image of the product, as stand-ins.yml names it. */
const IMAGE = 'orion-test';
const STAND_INS = ['node', 'postgres', 'server', 'admin-tools', 'ui', 'redis'];

/** Runs the Docker client; what it prints. Rejects with what it says when it fails. */
export const docker = async (args: readonly string[], options: ExecFileOptions = {}): Promise<string> => {
  const { stdout } = await run('docker', args, { cwd: ROOT, encoding: 'utf8', ...options });
  return String(stdout).trim();
};

/** Makes the stand-ins that are not there yet; the first time that takes some minutes. */
export const makeStandIns = async (): Promise<void> => {
  const there = (await docker(['image', 'ls', '--format', '{{.Repository}}'])).split('\n');
  const missing = STAND_INS.filter((name) => !there.includes(`orion-stand-in/${name}`));
  if (missing.length === 0) return;
  const work = join(ROOT, '.orion', 'stand-in-images');
  await run(join(SUPPORT, 'stand-in-images.sh'), [work, ...missing]);
};

/** `kill -9` from outside, as a crash: `docker kill` counts as stopped by hand, and nothing is started again. */
export const crash = async (container: string): Promise<void> => {
  const pid = await docker(['inspect', '--format', '{{.State.Pid}}', container]);
  const command = `kill -9 ${pid}`;
  const asRoot = ['--pid', 'host', '--user', 'root', '--cap-add', 'KILL', '--entrypoint', 'sh'];
  await docker(['run', '--rm', ...asRoot, IMAGE, '-c', command]);
};
