import type { CommandLaunch } from '../../../src/tools/command/command-launch.ts';
import { runCommandProcess } from '../../../src/tools/command/command-process.ts';
import { createMcpTransport } from '../../../src/tools/mcp/mcp-transport.ts';
import { runRipgrep } from '../../../src/tools/search/ripgrep.ts';

/** Node, which needs no arguments: without input it ends at once. */
const program = process.execPath;
const { signal } = new AbortController();
const ignore = (): void => undefined;

const runCommand = (args: readonly string[], sandbox?: CommandLaunch['sandbox']): Promise<unknown> =>
  runCommandProcess(
    { program, args, cwd: '/', env: {}, ...(sandbox && { sandbox }) },
    { timeoutMs: 60_000, outputBytes: 1_000, processes: 100, memoryBytes: 1024 ** 3 },
    { signal, onOutput: ignore, mayBegin: () => Promise.resolve(true) },
  );

/** The ways in which a worker starts programs. Each of them starts Node with the arguments. */
export const programStarts = {
  ripgrep: (args: readonly string[]) =>
    runRipgrep({ program, args, cwd: '/', inherit: [], separator: 0, take: () => true, signal }),
  command: (args: readonly string[]) => runCommand(args),
  sandboxed: (args: readonly string[]) =>
    runCommand(args, { options: [], filter: Buffer.alloc(8), exposed: signal }),
  mcp: (args: readonly string[]) =>
    createMcpTransport(
      { kind: 'stdio', command: program, args, env: {}, cwd: undefined },
      { onStderr: ignore, onCut: ignore, isHandshake: () => true },
    ).start(),
};

export type ProgramStart = keyof typeof programStarts;
