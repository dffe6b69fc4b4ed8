import { execFile, type ExecFileOptions } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ROOT } from '../../support/root.ts';

const SUPPORT = fileURLToPath(new URL('.', import.meta.url));
const run = promisify(execFile);

/** The name of the product's image in stand-ins.yml. */
const IMAGE = 'orion-test';
const STAND_INS = ['node', 'postgres', 'server', 'admin-tools', 'ui', 'redis'];

/** Runs the Docker client; resolves to what it prints. Rejects with its error output when it fails. */
export const docker = async (args: readonly string[], options: ExecFileOptions = {}): Promise<string> => {
  const { stdout } = await run('docker', args, { cwd: ROOT, encoding: 'utf8', ...options });
  return String(stdout).trim();
};

/** Builds the stand-in images that are missing, which takes some minutes the first time. */
export const makeStandIns = async (): Promise<void> => {
  const there = (await docker(['image', 'ls', '--format', '{{.Repository}}'])).split('\n');
  const missing = STAND_INS.filter((name) => !there.includes(`orion-stand-in/${name}`));
  if (missing.length === 0) return;
  const work = join(ROOT, '.orion', 'stand-in-images');
  await run(join(SUPPORT, 'stand-in-images.sh'), [work, ...missing]);
};

/**
 * Kills a container's process with SIGKILL from outside, like a crash: after `docker kill` Docker would not restart it.
 */
export const crash = async (container: string): Promise<void> => {
  const pid = await docker(['inspect', '--format', '{{.State.Pid}}', container]);
  const command = `kill -9 ${pid}`;
  const asRoot = ['--pid', 'host', '--user', 'root', '--cap-add', 'KILL', '--entrypoint', 'sh'];
  await docker(['run', '--rm', ...asRoot, IMAGE, '-c', command]);
};
