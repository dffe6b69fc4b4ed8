/** Tests `orion temporal` with a stand-in for the Temporal CLI, which prints the arguments it was given. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, expect, it } from '@jest/globals';
import { stackPathsOf } from '../../../src/background/stack-paths.ts';
import { choosePorts } from '../../../src/background/stack-record.ts';
import { runTemporal } from '../../../src/cli/commands/temporal-command.ts';
import { EXIT } from '../../../src/cli/process/exit-codes.ts';
import { readStartTime } from '../../../src/stack/processes/process-identity.ts';
import { OrionCli, runOrion } from '../../support/orion-cli.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'orion-temporal-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const program = join(folder, 'temporal');
writeFileSync(
  program,
  '#!/bin/sh\nprintf "%s\\n" "$TEMPORAL_ADDRESS $TEMPORAL_NAMESPACE$TEMPORAL_API_KEY" "$@"\ncat\nexit "${ENDS_WITH:-0}"\n',
);
chmodSync(program, 0o755);

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}, input = ''): OrionCli =>
  new OrionCli(['temporal', ...args], {
    url: 'http://127.0.0.1:1',
    input,
    env: { TEMPORAL_CLI: program, ORION_TEMPORAL_PORT: '7299', ...env },
  });

it('passes all arguments on unchanged, including options that Orion has as well, and what is piped in', async () => {
  const args = [
    'workflow',
    'list',
    '-q',
    "OrionStatus='failed'",
    '--json',
    '-p',
    '--help',
    '--',
    '--version',
  ];
  const cli = run(args, {}, 'piped in\n');
  expect(await cli.ended).toBe(0);
  expect(cli.stdout.split('\n')).toEqual(['127.0.0.1:7299 default', ...args, 'piped in', '']);
});

it('connects to the Temporal of the settings, and fails when the program does', async () => {
  const env = { TEMPORAL_ADDRESS: 'temporal:7233', TEMPORAL_NAMESPACE: 'chat', ENDS_WITH: '7' };
  const cli = run([], env);
  expect(await cli.ended).toBe(1);
  expect(cli.stdout).toBe('temporal:7233 chat\n');
});

it('connects to the stack of the folder it is typed in, which ignores settings that name another Temporal', async () => {
  const [project, state] = [join(folder, 'project'), join(folder, 'state')];
  const paths = stackPathsOf(join(state, 'orion'), project);
  for (const path of [join(project, 'src'), paths.dataDir]) mkdirSync(path, { recursive: true });
  const { temporal } = await choosePorts(paths);
  // This is what the supervisor writes while it runs.
  writeFileSync(
    join(paths.dataDir, 'processes.reap'),
    `=${process.pid} SIGTERM ${readStartTime(process.pid)}\n`,
  );
  const env = {
    TEMPORAL_CLI: program,
    XDG_STATE_HOME: state,
    ORION_TEMPORAL_PORT: '7299',
    TEMPORAL_ADDRESS: 'temporal:7233',
    TEMPORAL_NAMESPACE: 'chat',
    TEMPORAL_API_KEY: 'key of another server',
  };
  const typedIn = async (cwd: string, url?: string): Promise<string> =>
    (await runOrion(['temporal'], { url, cwd, env })).stdout;
  expect(await typedIn(join(project, 'src'))).toBe(`127.0.0.1:${temporal} default\n`);
  expect(await typedIn(folder)).toBe('temporal:7233 chatkey of another server\n');
  // With this URL `orion` talks to another gateway, and so to another Temporal.
  expect(await typedIn(project, 'http://127.0.0.1:1')).toBe('temporal:7233 chatkey of another server\n');
});

it('fails, and names the program, when `TEMPORAL_CLI` cannot be run', async () => {
  const cli = run(['workflow', 'list'], { TEMPORAL_CLI: join(folder, 'missing') });
  expect(await cli.ended).toBe(1);
  expect(cli.stderr).toContain(`${join(folder, 'missing')} cannot be run`);
});

it('fails without any Temporal CLI, and says where one is looked for', async () => {
  const setupTools = join(folder, 'tools-without-temporal');
  mkdirSync(setupTools);
  const stderr = new PassThrough({ encoding: 'utf8' });
  expect(await runTemporal(stderr, ['workflow', 'list'], { PATH: setupTools }, setupTools)).toBe(EXIT.failed);
  expect(stderr.read()).toBe(
    `No Temporal CLI: expected TEMPORAL_CLI to name one, \`temporal\` on PATH, or the one of \`npm start\` in ${setupTools}\n`,
  );
});
