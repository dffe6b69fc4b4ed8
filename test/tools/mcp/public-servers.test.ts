/** Covers public servers of npm, unchanged and over both transports, as an installation would connect to them. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { drawFreePort } from '../../support/free-port.ts';
import { publicServer, startMcp, stdioServer, type McpWorld } from '../support/mcp-world.ts';

describe('the filesystem server over stdio', () => {
  let folder: string;
  let world: McpWorld;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orion-mcp-'));
    await writeFile(join(folder, 'a.txt'), 'from disk');
    world = await startMcp([stdioServer('fs', [publicServer('server-filesystem'), folder])]);
  });

  afterEach(async () => {
    await world.pool.close();
    await rm(folder, { recursive: true });
  });

  it('reads and writes in act mode', async () => {
    const path = join(folder, 'b.txt');
    expect(await world.call('mcp__fs__write_file', { path, content: 'new' })).toMatchObject({
      success: true,
    });
    expect(await readFile(path, 'utf8')).toBe('new');
    const read = await world.call('mcp__fs__read_text_file', { path: join(folder, 'a.txt') });
    expect(read).toMatchObject({ success: true, toolName: 'mcp__fs__read_text_file' });
    expect(JSON.stringify(read.result)).toContain('from disk');
  });

  it('is limited to what calls itself read-only in plan mode: offered and executed', async () => {
    const plan = world.names('plan');
    expect(plan).toContain('mcp__fs__read_text_file');
    expect(plan).not.toContain('mcp__fs__write_file');
    const path = join(folder, 'never.txt');
    const refused = await world.call('mcp__fs__write_file', { path, content: 'x' }, 'plan');
    expect(refused).toMatchObject({ success: false, details: { code: 'PLAN_MODE' } });
    await expect(readFile(path)).rejects.toThrow('ENOENT');
  });

  it('names what is wrong with arguments before the server is asked', async () => {
    const refused = await world.call('mcp__fs__read_text_file', { path: 7 });
    expect(refused).toMatchObject({ success: false });
    expect(refused.error).toMatch(/path: expected a string, received 7/);
  });

  it('tells a refusal of the server as a failure, without a retry', async () => {
    const refused = await world.call('mcp__fs__read_text_file', { path: '/etc/passwd' });
    expect(refused).toMatchObject({ success: false, attempts: 1 });
    expect(refused.error).toContain('Access denied');
  });
});

describe('the everything server', () => {
  let http: ChildProcess | undefined;

  afterEach(() => void http?.kill('SIGKILL'));

  const startHttp = async (): Promise<string> => {
    const port = await drawFreePort();
    const env = { ...process.env, NODE_OPTIONS: '', PORT: String(port) };
    http = spawn(process.execPath, [publicServer('server-everything'), 'streamableHttp'], { env });
    while (!String((await once(http.stderr as NodeJS.ReadableStream, 'data'))[0]).includes(String(port)));
    return `http://127.0.0.1:${port}/mcp`;
  };

  it('answers over HTTP', async () => {
    const transport = { kind: 'http', url: await startHttp(), headers: { 'X-Any': '1' } } as const;
    const world = await startMcp([stdioServer('all', [], { transport })]);
    expect(await world.call('mcp__all__get-sum', { a: 2, b: 3 })).toMatchObject({
      success: true,
      result: 'The sum of 2 and 3 is 5.',
    });
    await world.pool.close();
  });

  /** Puts the server behind a pipe that keeps what it is sent; `until` resolves once a text was sent. */
  const overheard = (folder: string) => {
    const sent = join(folder, 'sent');
    // The server replaces the shell as a process, so that it ends with the pool.
    const args = [
      '-c',
      'exec "$1" "$2" < <(tee "$0")',
      sent,
      process.execPath,
      publicServer('server-everything'),
    ];
    const transport = { kind: 'stdio', command: 'bash', args, env: {}, cwd: undefined } as const;
    const until = (text: string): Promise<true> =>
      eventually(text, async () => (await readFile(sent, 'utf8').catch(() => '')).includes(text));
    return { server: stdioServer('all', [], { transport }), until };
  };

  it('is cancelled in the middle of a long call, and serves the next', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'orion-mcp-'));
    const { server, until } = overheard(folder);
    const world = await startMcp([server]);
    const cancel = new AbortController();
    const long = world.call(
      'mcp__all__trigger-long-running-operation',
      { duration: 60, steps: 1 },
      'act',
      cancel.signal,
    );
    const reason = long.catch((error: unknown) => error);
    await until('"trigger-long-running-operation"');
    cancel.abort(new Error('stop'));
    expect(await reason).toMatchObject({ message: 'stop' });
    await until('"notifications/cancelled"');
    expect(await world.call('mcp__all__echo', { message: 'still here' })).toMatchObject({
      success: true,
      result: 'Echo: still here',
    });
    await world.pool.close();
    await rm(folder, { recursive: true });
  });

  it('never sees the variables of the worker', async () => {
    const world = await startMcp([stdioServer('all', [publicServer('server-everything')])]);
    const { result } = await world.call('mcp__all__get-env', {});
    expect(JSON.stringify(result)).not.toContain('NODE_OPTIONS');
    expect(JSON.stringify(result)).toContain('PATH');
    await world.pool.close();
  });
});
