import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import type { CommandHost, CommandHostOptions } from '../../../../src/tools/command/command-host.ts';
import { openCommandHost } from '../../../../src/tools/command/open-command-host.ts';
import { findRipgrep } from '../../../../src/tools/search/ripgrep.ts';

/** The files of a world, by their paths from its base. Each holds `secret of <path>` in an encoded form. */
export const SANDBOX_FILES = [
  'outside/secret.txt',
  'data/secret.txt',
  'data/content/token.txt',
  'workspace/other/secret.txt',
  'workspace/mine/.env',
  'workspace/mine/.ENV.local',
  'workspace/mine/a/b/prod.env',
  'workspace/mine/keys/id_rsa',
  'workspace/mine/keys/server.pem',
  'workspace/mine/.npmrc',
  'workspace/mine/.ssh/config',
  'workspace/mine/.aws/credentials',
  'workspace/mine/.docker/config.json',
  'workspace/mine/.git/config',
  'workspace/mine/.git/hooks/pre-commit',
  'workspace/mine/.git/HEAD',
  'workspace/mine/sub/.git/HEAD',
  'workspace/mine/.orion/skills/a.md',
  'workspace/mine/src/open.txt',
] as const;
export type WorldFile = (typeof SANDBOX_FILES)[number];

/**
 * Returns the secret in a file. Its encoded text is in no command, so that output which shows it comes from the file.
 */
export const secretOf = (file: string): string => `<<${Buffer.from(file).toString('base64url')}>>`;

export interface SandboxWorld {
  readonly base: string;
  /** The folder of the project whose commands run. */
  readonly folder: string;
  /** The pid of another process of the same account on this machine. */
  readonly victim: number;
  readonly tcpPort: number;
  /** The path of a Unix socket. */
  readonly socket: string;
  /** The name of a Unix socket without a path (an abstract socket). */
  readonly abstract: string;
  readonly sandboxed: CommandHost;
  readonly bare: CommandHost;
  /** Returns the number of connections that came, from whatever place. */
  readonly connections: () => number;
  /** Restores every file. */
  reset(): Promise<void>;
  isVictimRunning(): boolean;
  close(): Promise<void>;
}

const listen = async (where: object, onConnection: () => void): Promise<Server> => {
  const server = createServer((socket) => {
    onConnection();
    socket.on('error', () => undefined);
    socket.end('hello from the machine\n');
  });
  server.listen(where);
  await once(server, 'listening');
  return server;
};

/** Returns the host that runs the commands of a world. Throws when there is none. */
export const hostOf = async (
  sandbox: 'require' | 'off',
  base: string,
  more: Partial<CommandHostOptions> = {},
): Promise<CommandHost> => {
  const opened = await openCommandHost(sandbox, {
    dataDir: join(base, 'data'),
    workspace: join(base, 'workspace'),
    env: { ...process.env, HANDED_ON: 'yes', WORKER_SECRET: 'no' },
    handedOn: ['HANDED_ON'],
    findRipgrep,
    ...more,
  });
  if (!opened.ok) throw new Error(opened.reason);
  return opened.host;
};

/**
 * Makes a machine with secrets around one project's folder. It is not in `/tmp`, because a command has a `/tmp` of its
 * own.
 */
export const openWorld = async (): Promise<SandboxWorld> => {
  const base = await mkdtemp(join(await realpath('/var/tmp'), 'orion-world-'));
  const reset = async (): Promise<void> => {
    for (const file of SANDBOX_FILES) {
      const path = join(base, file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, secretOf(file));
    }
  };
  await reset();
  let connections = 0;
  const onConnection = () => (connections += 1);
  const socket = join(base, 'outside/socket');
  const abstract = `orion-${randomUUID()}`;
  const tcp = await listen({ host: '127.0.0.1', port: 0 }, onConnection);
  const servers = [
    tcp,
    await listen({ path: socket }, onConnection),
    await listen({ path: `\0${abstract}` }, onConnection),
  ];
  const victim = spawn('sleep', ['3600'], { env: { VICTIM_SECRET: secretOf('victim') }, stdio: 'ignore' });
  const victimPid = victim.pid ?? 0;
  return {
    base,
    folder: join(base, 'workspace/mine'),
    victim: victimPid,
    tcpPort: (tcp.address() as AddressInfo).port,
    socket,
    abstract,
    sandboxed: await hostOf('require', base),
    bare: await hostOf('off', base),
    connections: () => connections,
    reset,
    isVictimRunning: () => existsSync(`/proc/${victimPid}`) && !/\) [ZT]/.test(statOf(victimPid)),
    async close() {
      victim.kill('SIGKILL');
      for (const server of servers) server.close();
      await rm(base, { recursive: true, force: true });
    },
  };
};

const statOf = (pid: number): string => readFileSync(`/proc/${pid}/stat`, 'utf8');

export interface CommandOutput {
  readonly exitCode: number | null;
  readonly text: string;
  readonly stopped: string | undefined;
}

/** The time limit of commands that end by themselves, sufficient on a busy machine, too. */
export const PATIENT_MS = 180_000;

/** Runs a command in the project's folder, and resolves to all of its output. */
export const runIn = async (
  host: CommandHost,
  { folder }: Pick<SandboxWorld, 'folder'>,
  command: string,
  { timeoutMs = PATIENT_MS, signal = new AbortController().signal } = {},
): Promise<CommandOutput> => {
  let text = '';
  const watch = {
    signal,
    onOutput: (_stream: string, bytes: Buffer) => void (text += bytes.toString()),
    mayBegin: () => Promise.resolve(true),
  };
  const { exitCode, stopped } = await host.run({ command, folder, cwd: folder, timeoutMs }, watch);
  return { exitCode, text, stopped };
};
