/**
 * Covers how commands end, in the sandbox and without: by themselves, too late, too large, and together with the
 * process that started them.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from 'node:events';
import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { openCommandGroups } from '../../../src/tools/command/command-groups.ts';
import type { CommandWatch } from '../../../src/tools/command/command-launch.ts';
import type { CommandHost } from '../../../src/tools/command/command-host.ts';
import { eventually } from '../../support/eventually.ts';
import { withGrowingLimit } from '../../support/growing-limit.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { hostOf, openWorld, PATIENT_MS, runIn, type SandboxWorld } from './support/sandbox-world.ts';

let world: SandboxWorld;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** Returns the numbers of the processes whose command line contains a text. */
const running = (text: string): string[] => {
  try {
    return execFileSync('pgrep', ['-f', text], { encoding: 'utf8' }).split('\n').filter(Boolean);
  } catch {
    return [];
  }
};

const gone = (text: string) => eventually('no process to be left', () => running(text).length === 0);

let lengths = 50_000 + (process.pid % 10_000) * 10;
/** Returns a sleep of a length that no other test uses, by which its processes are found. */
const uniqueSleep = (): string => `sleep ${(lengths += 1)}`;

describe.each(['sandboxed', 'bare'] as const)('a command, %s', (kind) => {
  const host = (): CommandHost => world[kind];
  const run = (command: string, options?: { timeoutMs?: number; signal?: AbortSignal }) =>
    runIn(host(), world, command, options);

  it('ends with its code, and what it says on both outputs', async () => {
    expect(await run('echo out; echo err >&2; exit 3')).toEqual({
      exitCode: 3,
      text: expect.stringMatching(/^(out\nerr\n|err\nout\n)$/),
      stopped: undefined,
    });
  });

  it('reads no input', async () => {
    expect(await run('cat; read -r line || echo "end of input"')).toMatchObject({ text: 'end of input\n' });
  });

  it('finds the usual programs, its folder, a home, and what is handed on', async () => {
    const { text } = await run(
      'node -p 1+1; git --version; pwd; [ -w "$HOME" ] && [ -w "$TMPDIR" ] && echo "$CI$TERM$HANDED_ON$WORKER_SECRET"',
    );
    expect(text.split('\n')).toEqual(['2', expect.stringMatching(/^git/), world.folder, '1dumbyes', '']);
  });

  it('leaves nothing running behind it: children, and those that want to be on their own', async () => {
    const sleep = uniqueSleep();
    expect(await run(`${sleep} & nohup ${sleep} >/dev/null 2>&1 & echo started`)).toMatchObject({
      exitCode: 0,
      text: 'started\n',
    });
    await gone(sleep);
  });

  it('gets a signal before it is ended', async () => {
    await withGrowingLimit(2_000, async (timeoutMs) => {
      const said = await run('trap "echo tidy; exit 5" TERM; echo ready; sleep 3600 & wait', { timeoutMs });
      expect(said).toMatchObject({ text: 'ready\ntidy\n', stopped: 'timeout' });
    });
  });

  it('is ended by an abort', async () => {
    const abort = new AbortController();
    const sleep = uniqueSleep();
    const begun = join(world.folder, 'begun.txt');
    const ended = run(`echo >begun.txt; ${sleep}`, { signal: abort.signal });
    await eventually('it to run', () => existsSync(begun));
    rmSync(begun);
    abort.abort();
    expect(await ended).toMatchObject({ stopped: 'cancelled' });
    await gone(sleep);
  });

  it('cannot write a file without end', async () => {
    // The file begins just below the bound, as a hole that takes neither time nor room.
    const { text } = await run(
      'dd if=/dev/zero of=large bs=1M seek=1020 count=2000; echo "ended with $?"; stat -c %s large; rm large',
    );
    expect(text).not.toContain('ended with 0');
    expect(text).toContain(`\n${1024 ** 3}\n`);
  });
});

/** Runs `act` in the sandbox and without it at the same time, because it takes long. */
const inBothHosts = <T>(act: (kind: 'sandboxed' | 'bare') => Promise<T>): Promise<readonly [T, T]> =>
  Promise.all([act('sandboxed'), act('bare')]);

it('a command is ended when its time is up, however many processes it has and whatever it ignores', async () => {
  const endless = async (kind: 'sandboxed' | 'bare', timeoutMs: number): Promise<void> => {
    const sleep = uniqueSleep();
    const began = performance.now();
    const said = await runIn(
      world[kind],
      world,
      `trap "" TERM INT HUP; ${sleep} & (trap "" TERM; ${sleep}; ${sleep}) & while :; do ${sleep}; done`,
      { timeoutMs },
    );
    expect(said.stopped).toBe('timeout');
    // Either the signal itself ended the command, or a shell or bubblewrap that saw the signal says so.
    expect([null, 137]).toContain(said.exitCode);
    expect(performance.now() - began).toBeGreaterThan(timeoutMs + 1_700);
    await gone(sleep);
  };
  await inBothHosts((kind) => withGrowingLimit(2_000, (timeoutMs) => endless(kind, timeoutMs)));
});

it('a command is ended when it floods, and others go on meanwhile', async () => {
  let ticks = 0;
  const ticking = setInterval(() => (ticks += 1), 10);
  await inBothHosts(async (kind) => {
    let bytes = 0;
    const watch = {
      signal: new AbortController().signal,
      onOutput: (_: string, more: Buffer) => void (bytes += more.length),
      mayBegin: () => Promise.resolve(true),
    };
    const { folder } = world;
    const { stopped } = await world[kind].run(
      { command: 'yes "$(head -c 999 /dev/zero | tr "\\0" x)"', folder, cwd: folder, timeoutMs: PATIENT_MS },
      watch,
    );
    expect(stopped).toBe('output');
    expect(bytes).toBeLessThan(160 * 1024 * 1024);
  });
  clearInterval(ticking);
  expect(ticks).toBeGreaterThan(100);
});

it('a command whose worker sleeps right after the end has said all of it', async () => {
  const kill = process.kill.bind(process);
  const sleepNow = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200);
  // What is left of the command is killed at its end. The sleep begins before anything more is read.
  const killing = jest.spyOn(process, 'kill').mockImplementation((pid, signal) => {
    setImmediate(sleepNow);
    return kill(pid, signal);
  });
  // The end of the output is unread when the command ends, because reading pauses after a mebibyte.
  const { text } = await runIn(
    world.bare,
    world,
    `head -c ${1024 ** 2 + 160 * 1024} /dev/zero | tr '\\0' x; echo last`,
  );
  killing.mockRestore();
  expect(text.slice(-6)).toBe('xlast\n');
});

/** The kernel bounds the processes of an account, except those of root, which need a control group for that. */
const mayBound = process.getuid?.() !== 0 || (await openCommandGroups()) !== undefined;

describe.each(['require', 'off'] as const)('processes of a command, sandbox %s', (sandbox) => {
  (mayBound ? it : it.skip)('are bounded by the kernel, where this account has a way to that', async () => {
    const host = await hostOf(sandbox, world.base, { maxProcesses: 64 });
    expect(host.boundsProcesses).toBe(true);
    const fork = [
      'import os, time',
      'begun = 0',
      'for _ in range(300):',
      '  try:',
      '    if os.fork() == 0: time.sleep(3600); os._exit(0)',
      '    begun += 1',
      '  except OSError: break',
      'print(begun)',
    ].join('\n');
    const { text, stopped } = await runIn(host, world, `python3 -c '${fork}'`);
    expect(Number(text)).toBeGreaterThan(0);
    expect(Number(text)).toBeLessThan(64);
    expect(stopped).toBeUndefined();
  });
});

describe.each(['sandboxed', 'bare'] as const)('the beginning of a command, %s', (kind) => {
  const touch = async (
    mayBegin: () => Promise<boolean>,
    { signal = new AbortController().signal, clock }: Partial<Pick<CommandWatch, 'signal' | 'clock'>> = {},
  ) => {
    const { folder } = world;
    const request = { command: 'echo begun >begun.txt', folder, cwd: folder, timeoutMs: PATIENT_MS };
    const ended = world[kind].run(request, {
      signal,
      onOutput: () => undefined,
      mayBegin,
      ...(clock && { clock }),
    });
    await ended.catch(() => undefined);
    const hasBegun = existsSync(join(folder, 'begun.txt'));
    rmSync(join(folder, 'begun.txt'), { force: true });
    return { hasBegun, ended };
  };

  it('is refused to a caller that may not begin, or cannot find out', async () => {
    const { hasBegun, ended } = await touch(() => Promise.resolve(false));
    expect(hasBegun).toBe(false);
    await expect(ended).rejects.toThrow('the call was given up, or repeated elsewhere');
    const unknown = await touch(() => Promise.reject(new Error('no ledger')));
    expect(unknown.hasBegun).toBe(false);
    await expect(unknown.ended).rejects.toThrow('no ledger');
  });

  it('is refused to a caller that was cancelled while it asked', async () => {
    const abort = new AbortController();
    const mayBegin = () => {
      abort.abort();
      return Promise.resolve(true);
    };
    const { hasBegun, ended } = await touch(mayBegin, { signal: abort.signal });
    expect(hasBegun).toBe(false);
    await expect(ended).rejects.toThrow('it was ended before it began (cancelled)');
  });

  it('a caller that is refused after the end of the command signals nobody, since its number may be given away', async () => {
    const abort = new AbortController();
    const answer = Promise.withResolvers<boolean>();
    const asked = Promise.withResolvers<void>();
    const ended = touch(
      () => {
        asked.resolve();
        return answer.promise;
      },
      { signal: abort.signal },
    );
    await asked.promise;
    abort.abort();
    expect((await ended).hasBegun).toBe(false);
    const signals = jest.spyOn(process, 'kill');
    answer.resolve(false);
    // The refusal is handled before the event loop goes on, since it waits for nothing else.
    await nextLoopIteration();
    expect(signals).not.toHaveBeenCalled();
    signals.mockRestore();
  });

  it('needs a fresh answer: a caller that slept meanwhile asks again', async () => {
    const clock = new ManualClock();
    let asked = 0;
    const answerAfter = (ms: number) => () => {
      asked += 1;
      clock.skip(ms);
      return Promise.resolve(asked === 1);
    };
    const late = await touch(answerAfter(1_001), { clock });
    expect([late.hasBegun, asked]).toEqual([false, 2]);
    asked = 0;
    const inTime = await touch(answerAfter(1_000), { clock });
    expect([inTime.hasBegun, asked]).toEqual([true, 1]);
  });
});

// The command starts just more processes than are allowed, and is no bomb: a worker that is root can only count them,
// and other tests need the machine.
it('a sandboxed command that starts too many processes is ended', async () => {
  const sleep = uniqueSleep();
  // The shell is dash because bash would retry the fork for a quarter of a minute, while dash reports that it cannot.
  const many = `sh -c 'for i in $(seq 1 1100); do ${sleep} & done; wait'`;
  const said = await runIn(world.sandboxed, world, many);
  expect(said.stopped === 'processes' || said.text.includes('fork')).toBe(true);
  await gone(sleep);
});

// The memory is requested and not used, so that it takes nothing from the machine and its other tests.
it('a sandboxed command that takes all memory gets no more', async () => {
  const take = `python3 -c 'import ctypes as c;l=c.CDLL(None);l.malloc.restype=c.c_void_p;assert all(l.malloc(64<<20) for _ in range(200))'`;
  const said = await runIn(world.sandboxed, world, `${take} && echo "all of it"; echo "ended with $?"`);
  expect(said).toMatchObject({ stopped: undefined, text: expect.stringContaining('AssertionError') });
  expect(said.text).toContain('ended with 1');
});

it.each(['sandboxed', 'bare'] as const)('a command ends with the process that runs it: %s', async (kind) => {
  const sleep = uniqueSleep();
  const script = fileURLToPath(new URL('./support/run-one-command.ts', import.meta.url));
  const args = [
    script,
    kind === 'bare' ? 'off' : 'require',
    world.base,
    `${sleep} & setsid ${sleep} & ${sleep}`,
  ];
  const worker = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  await eventually('three to run', () => running(`^${sleep}`).length === 3);
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  // Without the sandbox, a process that has left its group outlives the worker.
  const left = kind === 'bare' ? 1 : 0;
  await eventually('the others to end', () => running(`^${sleep}`).length === left);
  for (const pid of running(`^${sleep}`)) process.kill(Number(pid), 'SIGKILL');
});

it('protected files of nested folders stay closed, and no new file is made of them', async () => {
  const before = readFileSync(join(world.folder, '.env'), 'utf8');
  await runIn(world.sandboxed, world, 'mv a b2; cat b2/b/prod.env >copy.txt; echo x >.env');
  expect(readFileSync(join(world.folder, '.env'), 'utf8')).toBe(before);
  expect(await readFile(join(world.folder, 'copy.txt'), 'utf8')).toBe('');
  await runIn(world.sandboxed, world, 'mv b2 a');
});

it('a folder without skills gets none by a command', async () => {
  const folder = join(world.base, 'workspace', 'fresh');
  execFileSync('mkdir', [folder]);
  const { text } = await runIn(world.sandboxed, { folder }, 'mkdir -p .orion/skills && echo made');
  expect(text).not.toContain('made');
  expect(existsSync(join(folder, '.orion/skills'))).toBe(false);
});

it('the sandbox shows nothing of a data directory that lies in its folder after all', async () => {
  const dataDir = join(world.folder, 'state');
  execFileSync('mkdir', [dataDir]);
  await writeFile(join(dataDir, 'token.txt'), 'a token');
  const host = await hostOf('require', world.base, { dataDir, workspace: world.folder });
  const { text } = await runIn(host, world, 'ls state; cat state/token.txt; echo x >state/token.txt; ls src');
  expect(text).toContain('open.txt');
  expect(text).not.toContain('a token');
  expect(readFileSync(join(dataDir, 'token.txt'), 'utf8')).toBe('a token');
  execFileSync('rm', ['-r', dataDir]);
});

it('git works on a repository that it cannot change', async () => {
  const folder = join(world.base, 'workspace', 'repository');
  execFileSync('git', ['init', '-q', folder]);
  await writeFile(join(folder, 'a.txt'), 'one\n');
  const config = ['-c', 'user.name=a', '-c', 'user.email=a@b.c'];
  execFileSync('git', ['-C', folder, 'add', '.']);
  execFileSync('git', ['-C', folder, ...config, 'commit', '-qm', 'first']);
  const { text } = await runIn(
    world.sandboxed,
    { folder },
    'echo two >>a.txt; git status --short; git log --format=%s; git diff --stat; git commit -qam second; git log --format=%s',
  );
  expect(text).toContain(' M a.txt\nfirst\n');
  expect(text).toContain('1 insertion');
  expect(text).not.toContain('second');
});
