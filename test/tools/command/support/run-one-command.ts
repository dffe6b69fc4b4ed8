/** Runs one command in a process of its own and waits: `<sandbox> <base of the world> <command>`. */
import { join } from 'node:path';
import { openCommandHost } from '../../../../src/tools/command/open-command-host.ts';
import { findRipgrep } from '../../../../src/tools/search/ripgrep.ts';

const [sandbox, base = '', command = ''] = process.argv.slice(2);
const opened = await openCommandHost(sandbox === 'off' ? 'off' : 'require', {
  dataDir: join(base, 'data'),
  workspace: join(base, 'workspace'),
  env: process.env,
  handedOn: [],
  findRipgrep,
});
if (!opened.ok) throw new Error(opened.reason);
const folder = join(base, 'workspace/mine');
await opened.host.run(
  { command, folder, cwd: folder, timeoutMs: 600_000 },
  {
    signal: new AbortController().signal,
    onOutput: () => undefined,
    mayBegin: () => Promise.resolve(true),
  },
);
