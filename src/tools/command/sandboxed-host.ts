import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveRealPath } from '../../base/folder-paths.ts';
import { findProtectedFiles } from './protected-paths.ts';
import { commandEnvironment } from './command-environment.ts';
import { watchReplaced } from './replaced-files.ts';
import { type CoverFiles, sandboxArguments, SANDBOX_HOME, SANDBOX_PATH } from './sandbox.ts';
import { shellCommand } from './shell.ts';
import { processLimits, openBounds, runBounded } from './command-bounds.ts';
import type { CommandHostOptions, CommandHost } from './command-host.ts';

/** Creates a host that runs commands in bubblewrap. Rejects when the data directory cannot be written. */
export const createSandboxedHost = async (
  program: string,
  filter: Buffer,
  options: CommandHostOptions,
): Promise<CommandHost> => {
  const covers = await makeCovers(options.dataDir);
  const bounds = await openBounds(options);
  const hidden = [options.dataDir, options.workspace].map(resolveRealPath);
  const node = resolveRealPath(process.execPath);
  const env = commandEnvironment({ ...options, home: SANDBOX_HOME, path: SANDBOX_PATH });
  return {
    isSandboxed: true,
    boundsProcesses: bounds.isEnforced,
    async run({ command, folder, cwd, timeoutMs }, watch) {
      const closed = await findProtectedFiles(folder, await options.findRipgrep(), watch.signal);
      const bubblewrap = sandboxArguments({ folder, cwd, closed, covers, hidden, node });
      const shell = shellCommand(command, processLimits(timeoutMs, bounds.processes), { isGuarded: false });
      // These are the handles that src/tools/command/command-process.ts opens for bubblewrap.
      const handles = ['--args', '4', '--json-status-fd', '5', '--seccomp', '6'];
      const args = [...handles, '--', shell.program, ...shell.args];
      const exposed = new AbortController();
      const sandbox = { options: bubblewrap, filter, exposed: exposed.signal };
      const watched = watchReplaced(folder, closed, () => exposed.abort());
      try {
        return await runBounded(bounds, { program, args, cwd: '/', env, timeoutMs, sandbox }, watch);
      } finally {
        watched.stop();
      }
    },
  };
};

const makeCovers = async (dataDir: string): Promise<CoverFiles> => {
  const folder = join(dataDir, 'covers');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const covers = { closed: join(folder, 'closed'), empty: join(folder, 'empty') };
  await Promise.all([
    writeFile(covers.closed, '', { mode: 0o000, flag: 'wx' }).catch(ignoreExisting),
    writeFile(covers.empty, '', { mode: 0o444, flag: 'wx' }).catch(ignoreExisting),
  ]);
  return covers;
};

const ignoreExisting = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EEXIST') throw error;
};
