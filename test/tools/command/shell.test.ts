/** Covers the commands that come before a command, in each shell that may run them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { shellCommand } from '../../../src/tools/command/shell.ts';

const LIMITS = { cpuSeconds: 60, memoryBytes: 1024 ** 3, fileBytes: 1024 ** 2, processes: 10_000 };
/** A handle that the worker may have inherited itself. */
const INHERITED = 12;

const preludeOf = (command: string): string => {
  const { args } = shellCommand(command, LIMITS, { isGuarded: false });
  return args[args.indexOf('-c') + 1] ?? '';
};

const run = async (shell: string, prelude: string) => {
  const command = 'echo done';
  const args = ['-c', prelude, 'sh', '/bin/sh', '-c', command];
  const handles = Array.from({ length: INHERITED + 1 }, (_, handle) =>
    [1, 3, INHERITED].includes(handle) ? ('pipe' as const) : ('ignore' as const),
  );
  const child = spawn(shell, args, { stdio: handles });
  (child.stdio[3] as Duplex).write('go\n');
  const output = child.stdout ? text(child.stdout) : undefined;
  const [code] = (await once(child, 'close')) as [number];
  return [await output, code];
};

it.each(['bash', 'dash'])('%s runs the command although it has inherited a handle above 9', async (shell) => {
  expect(await run(shell, preludeOf('echo done'))).toEqual(['done\n', 0]);
});

it.each(['bash', 'dash'])('%s runs the command on a system without /proc', async (shell) => {
  const prelude = preludeOf('echo done').replace('/proc/self/fd/', '/no-such-folder/');
  expect(await run(shell, prelude)).toEqual(['done\n', 0]);
});
