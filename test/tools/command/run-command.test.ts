/** Covers the tool around commands: what it takes, what the model and viewers read, and what remains of a lost one. */
import { spawnSync } from 'node:child_process';
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MAX_COMMAND_SECONDS } from '../../../src/contracts/tools/built-in-tools.ts';
import type { ToolResult } from '../../../src/contracts/tools/tool-call.ts';
import type { LedgerKey } from '../../../src/contracts/tools/tool-ledger.ts';
import { createToolRegistry } from '../../../src/tools/registry.ts';
import { createRunCommandTool } from '../../../src/tools/command/run-command.ts';
import { createToolRunner, type ToolRunnerContext } from '../../../src/tools/run/runner.ts';
import type { LiveOutput, ToolOutcome } from '../../../src/tools/tool.ts';
import type { Workspace } from '../../../src/files/workspace/workspace.ts';
import { openWorkspace } from '../../../src/files/workspace/open-workspace.ts';
import { eventually } from '../../support/eventually.ts';
import { openWorld, type SandboxWorld } from './support/sandbox-world.ts';
import { MemoryLedger } from '../support/memory-ledger.ts';
import { discardedCopies } from '../support/temp-workspace.ts';

let world: SandboxWorld;
let workspace: Workspace;
beforeAll(async () => {
  world = await openWorld();
  workspace = await openWorkspace({ root: join(world.base, 'workspace'), hasProjectFolders: true });
});
afterAll(async () => {
  await workspace.close();
  await world.close();
});

const ledgerOfAll = new MemoryLedger();
let phaseIndex = 0;

/** A ledger in which the first attempt sleeps when it asks whether it may begin. */
class SleepingLedger extends MemoryLedger {
  readonly asleep = Promise.withResolvers<void>();
  readonly awake = Promise.withResolvers<void>();

  override async holds(key: LedgerKey, attempt: number): Promise<boolean> {
    this.asleep.resolve();
    await this.awake.promise;
    return super.holds(key, attempt);
  }
}

const runnerOf = (
  sandbox: 'sandboxed' | 'bare',
  approvals: 'ask' | 'allow' = 'allow',
  ledger: MemoryLedger = ledgerOfAll,
) => {
  const registry = createToolRegistry([createRunCommandTool(workspace, { host: world[sandbox], approvals })]);
  return {
    registry,
    runner: createToolRunner({ registry, ledger, copies: discardedCopies, clock: { now: () => Date.now() } }),
  };
};

const execute = (
  args: object,
  more: Partial<ToolRunnerContext> & { sandbox?: 'sandboxed' | 'bare' } = {},
): Promise<ToolResult> => {
  phaseIndex += 1;
  const { sandbox = 'sandboxed', ...context } = more;
  const name = 'TerminalTool_run_command';
  const call = { id: 'c', type: 'function', function: { name, arguments: JSON.stringify(args) } } as const;
  return runnerOf(sandbox).runner.execute(call, {
    turnId: 't',
    projectId: 'mine',
    mode: 'act',
    phaseIndex,
    position: 0,
    signal: new AbortController().signal,
    ...context,
  });
};

describe('run_command', () => {
  it('is OUTCOME_UNKNOWN when its sandbox is killed from outside after the command has begun', async () => {
    const began = Promise.withResolvers<void>();
    const done = execute({ command: 'echo begun; exec sleep 2999' }, { onOutput: () => began.resolve() });
    await began.promise;
    const found = spawnSync('pgrep', ['-of', 'bwrap .*sleep 2999'], { encoding: 'utf8' });
    process.kill(Number(found.stdout), 'SIGKILL');
    expect(await done).toMatchObject({ success: false, error: 'OUTCOME_UNKNOWN' });
  });

  it('returns code, seconds and output; a code other than 0 is no failure', async () => {
    expect(await execute({ command: 'echo hi; exit 7' })).toMatchObject({
      success: true,
      toolName: 'TerminalTool.run_command',
      result: { exit_code: 7, seconds: expect.any(Number), output: 'hi\n' },
    });
  });

  it('runs in the given folder, within that of its project', async () => {
    expect(await execute({ command: 'pwd; ls', cwd: 'src' })).toMatchObject({
      result: { output: `${world.folder}/src\nopen.txt\n` },
    });
    await symlink(join(world.base, 'outside'), join(world.folder, 'out'));
    const refused = await Promise.all(
      ['..', '../other', '/etc', 'out', 'missing', 'src/open.txt'].map((cwd) =>
        execute({ command: 'pwd', cwd }),
      ),
    );
    expect(refused.map(({ success }) => success)).toEqual(refused.map(() => false));
    await rm(join(world.folder, 'out'));
  });

  it.each([
    [{}, 'command: expected a string'],
    [{ command: '' }, 'command: expected at least 1 character'],
    [{ command: 'a\0b' }, 'without NUL'],
    [{ command: 'x'.repeat(20_000) }, 'command: expected at most'],
    [{ command: 'ls', timeout_s: 601 }, 'timeout_s: expected at most 600'],
    [{ command: 'ls', timeout_s: 0 }, 'timeout_s: expected at least 1'],
    [{ command: 'ls', shell: 'zsh' }, 'shell: expected no such argument'],
  ])('refuses %j', async (args, error) => {
    const { success, error: told } = await execute(args);
    expect([success, told]).toEqual([false, expect.stringContaining(error)]);
  });

  it('ends a command at its time, and says so as a result', async () => {
    expect(await execute({ command: 'echo begun; sleep 30', timeout_s: 5 })).toMatchObject({
      success: true,
      result: { exit_code: 143, signal: 'SIGTERM', ended: 'it took too long', output: 'begun\n' },
    });
  });

  it('says that it did not run a command that was ended before it began', async () => {
    expect(await execute({ command: 'echo begun' }, { deadline: Date.now() })).toMatchObject({
      success: false,
      error: 'the command could not be run: it was ended before it began (timeout)',
    });
  });

  it('ends a command when the time of its turn is over', async () => {
    const deadline = Date.now() + 3_000;
    const { result, error = '' } = await execute({ command: 'sleep 30' }, { deadline });
    // On a slow machine the command takes that long to begin.
    expect(`${JSON.stringify(result)} ${error}`).toMatch(/it took too long|before it began/);
  });

  it('names the signal that ended the command', async () => {
    expect(await execute({ command: 'kill -SEGV $$' })).toMatchObject({
      result: { exit_code: 139, signal: 'SIGSEGV' },
    });
  });

  it('shows the model head and tail, and the trace more', async () => {
    const outcomes: ToolOutcome[] = [];
    const onOutcome = (outcome: ToolOutcome) => void outcomes.push(outcome);
    const { result } = await execute({ command: 'seq 1 100000' }, { onOutcome });
    const { output } = result as { output: string };
    expect(output).toMatch(/^1\n2\n3\n[^]*\n… \d+ bytes left out …\n[^]*\n99999\n100000\n$/);
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(32 * 1024);
    const [outcome] = outcomes;
    const traced = outcome?.ok === true ? (outcome.traceResult as { output: string }) : undefined;
    expect(traced?.output.length).toBeGreaterThan(200 * 1024);
  });

  it('shows no characters that a terminal would obey, and whole ones where it cuts', async () => {
    const { result } = await execute({
      command: String.raw`printf '\033[31mred\033[0m\007 a\r\nb\rc\0d'; printf '😀%.0s' $(seq 1 90000)`,
    });
    const { output } = result as { output: string };
    expect(output.startsWith('red a\nb\ncd😀')).toBe(true);
    expect(output.replace(/\n… \d+ bytes left out …\n/, '').slice('red a\nb\ncd'.length)).toMatch(/^(😀)+$/u);
  });

  it('shows viewers the first words at once, then output a few times a second, and not all of a flood', async () => {
    const pieces: (LiveOutput & { at: number })[] = [];
    const onOutput = (output: LiveOutput) => void pieces.push({ ...output, at: performance.now() });
    await execute(
      { command: 'echo first; echo second >&2; sleep 0.3; seq 1 400000; echo last' },
      { onOutput },
    );
    expect(pieces[0]).toMatchObject({ stream: 'stdout', content: expect.stringMatching(/^first\n/) });
    expect(pieces.some(({ stream, content }) => stream === 'stderr' && content.includes('second'))).toBe(
      true,
    );
    const seconds = ((pieces.at(-1)?.at ?? 0) - (pieces[0]?.at ?? 0)) / 1_000;
    expect(pieces.length).toBeLessThanOrEqual(10 * Math.ceil(seconds + 1));
    expect(pieces.map(({ content }) => content).join('').length).toBeLessThan(400_000);
  });

  it('says in every result that there is no sandbox', async () => {
    expect(await execute({ command: 'true' }, { sandbox: 'bare' })).toMatchObject({
      result: { exit_code: 0, sandbox: 'off', output: '' },
    });
  });

  it('is ended when its turn is cancelled, before the call is', async () => {
    const abort = new AbortController();
    const said: string[] = [];
    const running = execute(
      { command: 'echo begun; sleep 40.125' },
      { signal: abort.signal, onOutput: ({ content }) => void said.push(content) },
    );
    await eventually('it to speak', () => said.length > 0);
    abort.abort(new Error('cancelled'));
    await running.catch(() => undefined);
    expect(spawnSync('pgrep', ['-f', 'sleep 40.125']).stdout.toString()).toBe('');
  });

  it('is ended when somebody saves a protected file, and its output is withheld', async () => {
    const said: string[] = [];
    const running = execute(
      { command: 'while :; do echo looks; cat .env 2>/dev/null; sleep 0.05; done' },
      { onOutput: ({ content }) => void said.push(content) },
    );
    await eventually('it to look', () => said.length > 0);
    await writeFile(join(world.folder, 'saved'), 'a new secret');
    await rename(join(world.folder, 'saved'), join(world.folder, '.env'));
    expect(await running).toMatchObject({
      success: true,
      result: { ended: expect.stringContaining('a protected file was saved'), output: '' },
    });
    await world.reset();
  });

  it('is never run again where it was lost', async () => {
    const name = 'TerminalTool_run_command';
    const marker = join(world.folder, 'ran');
    const call = {
      id: 'c',
      type: 'function',
      function: { name, arguments: JSON.stringify({ command: 'echo again >>ran' }) },
    } as const;
    const key = { turnId: 'lost', phaseIndex: 1, position: 0 };
    await ledgerOfAll.begin(key, { toolName: name, arguments: call.function.arguments });
    const signal = new AbortController().signal;
    const context = { ...key, projectId: 'mine', mode: 'act', signal } as const;
    expect(await runnerOf('sandboxed').runner.execute(call, context)).toMatchObject({
      success: false,
      error: 'OUTCOME_UNKNOWN',
    });
    await expect(readFile(marker)).rejects.toThrow('ENOENT');
  });

  it('does not begin in an attempt that slept until it was reported as lost', async () => {
    const ledger = new SleepingLedger();
    const { runner } = runnerOf('sandboxed', 'allow', ledger);
    const name = 'TerminalTool_run_command';
    const call = {
      id: 'c',
      type: 'function',
      function: { name, arguments: JSON.stringify({ command: 'echo late >>late' }) },
    } as const;
    const signal = new AbortController().signal;
    const context = {
      turnId: 'slept',
      phaseIndex: 1,
      position: 0,
      projectId: 'mine',
      mode: 'act',
      signal,
    } as const;
    const sleeping = runner.execute(call, context);
    await ledger.asleep.promise;
    const reported = await runner.execute(call, context);
    expect(reported).toMatchObject({ success: false, error: 'OUTCOME_UNKNOWN' });
    ledger.awake.resolve();
    expect(await sleeping).toEqual(reported);
    await expect(readFile(join(world.folder, 'late'))).rejects.toThrow('ENOENT');
  });

  it('ends by itself before a turn would give its call up', () => {
    const { timeoutMs, declaration } = createRunCommandTool(workspace, {
      host: world.bare,
      approvals: 'allow',
    });
    expect(timeoutMs).toBeGreaterThan(MAX_COMMAND_SECONDS * 1_000);
    expect(timeoutMs).toBeLessThan(declaration.longestMs ?? 0);
  });

  it('is a write that asks as it is configured to', async () => {
    await mkdir(join(world.folder, 'src'), { recursive: true });
    const asks = (sandbox: 'sandboxed' | 'bare', approvals: 'ask' | 'allow') =>
      runnerOf(sandbox, approvals).registry.describe('run_command')?.needsApproval;
    expect(asks('sandboxed', 'allow')).toBeUndefined();
    expect(asks('sandboxed', 'ask')).toBe('unless_allowed');
    expect(asks('bare', 'ask')).toBe('each_call');
    const { registry } = runnerOf('sandboxed');
    expect(registry.definitions('plan')).toEqual([]);
    expect(registry.definitions('act')).toHaveLength(1);
  });
});
