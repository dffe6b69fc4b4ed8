/**
 * Tests MCP servers in whole turns on the processes of `npm start`: used, limited in plan mode, killed, misbehaving.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { traceListSchema } from '../../src/contracts/http/trace-api.ts';
import { ChatClient } from '../support/chat-client.ts';
import { startFakeModel, type FakeModel } from '../support/fake-model/fake-model.ts';
import { answer, answerWithCall } from '../support/fake-model/responses.ts';
import type { Response } from '../support/fake-model/script.ts';
import { OrionStack } from '../support/orion-stack.ts';
import { recordedText, violations } from '../support/recording-check.ts';
import { publicServer } from '../tools/support/mcp-world.ts';
import { eventually } from '../support/eventually.ts';

const FAULTY = fileURLToPath(new URL('../support/faulty-mcp-server.ts', import.meta.url));

let fake: FakeModel;
let stack: OrionStack;
let chat: ChatClient;
let folder: string;

const node = (...args: string[]) => ({ command: process.execPath, args });
/** Returns a server with a fault, which writes its process id into a file of the folder `at`. */
const faulty = (at: string, fault: string, more: object = {}) => ({
  ...node(FAULTY, fault, join(at, `${fault}.pid`)),
  ...more,
});

/** Starts a stack with these MCP servers, whose configuration is written into the folder `at`. */
const startStack = async (at: string, mcpServers: object): Promise<OrionStack> => {
  await writeFile(join(at, 'mcp.json'), JSON.stringify({ mcpServers }));
  return OrionStack.start({
    OPENAI_BASE_URL: fake.baseUrl,
    OPENAI_API_KEY: 'sk-test',
    ORION_MODEL: 'fake',
    ORION_MCP_CONFIG: join(at, 'mcp.json'),
    ORION_WORKERS: '1',
  });
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orion-mcp-turns-'));
  await mkdir(join(folder, 'files'));
  await writeFile(join(folder, 'files', 'a.txt'), 'from disk');
  fake = await startFakeModel();
  stack = await startStack(folder, {
    fs: node(publicServer('server-filesystem'), join(folder, 'files')),
    all: { ...node(publicServer('server-everything')), orion: { effect: { echo: 'poll' } } },
    hangs: faulty(folder, 'hang-on-call', { orion: { timeoutMs: 500 } }),
    crashes: faulty(folder, 'crash-on-call'),
    lies: faulty(folder, 'lying'),
    deaf: faulty(folder, 'stubborn'),
    late: faulty(folder, 'hang-on-start'),
  });
  chat = new ChatClient(stack.baseUrl);
});
afterAll(async () => {
  await stack?.stop();
  await fake?.close();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => fake.clear());

/** Plays a turn that must end with an answer; resolves to the results of its tools. */
const toolResults = async (
  requestId: string,
  responses: readonly Response[],
  mode = 'act',
): Promise<unknown[]> => {
  fake.script(...responses, answer('Well.'));
  const stream = await chat.chat({ content: 'Go on.', requestId, mode });
  await stream.ended;
  expect(violations(stream.frames)).toEqual([]);
  expect(recordedText(stream.frames)).toContain('Well.');
  const list = await chat.json(`/api/trace/logs?projectId=test&requestId=${requestId}&type=tool_result`);
  return traceListSchema.parse(list).events.map(({ details }) => details);
};

const offeredAt = (request: number): string[] =>
  z
    .array(z.object({ function: z.object({ name: z.string() }) }))
    .parse(fake.requests[request]?.body.tools)
    .map((tool) => tool.function.name);

describe('tools of MCP servers in a turn', () => {
  it('read and write in act mode, and the model is given what they say', async () => {
    const path = join(folder, 'files', 'b.txt');
    const results = await toolResults('mcp-act', [
      answerWithCall('mcp__fs__read_text_file', { path: join(folder, 'files', 'a.txt') }),
      answerWithCall('mcp__fs__write_file', { path, content: 'new' }),
    ]);
    expect(results).toMatchObject([
      { success: true, toolName: 'mcp__fs__read_text_file' },
      { success: true, toolName: 'mcp__fs__write_file' },
    ]);
    expect(await readFile(path, 'utf8')).toBe('new');
    expect(JSON.stringify(fake.requests[1]?.body.messages)).toContain('from disk');
  });

  it('are limited in plan mode to those that call themselves read-only; others are neither offered nor run', async () => {
    const path = join(folder, 'files', 'never.txt');
    const results = await toolResults(
      'mcp-plan',
      [
        answerWithCall('mcp__fs__write_file', { path, content: 'x' }),
        answerWithCall('mcp__fs__read_text_file', { path: join(folder, 'files', 'a.txt') }),
      ],
      'plan',
    );
    expect(offeredAt(0)).toContain('mcp__fs__read_text_file');
    expect(offeredAt(0)).not.toContain('mcp__fs__write_file');
    expect(results).toMatchObject([{ success: true, toolName: 'mcp__fs__read_text_file' }]);
    await expect(readFile(path)).rejects.toThrow('ENOENT');
  });

  it('may be called again when the configuration says that they poll; otherwise they are duplicates', async () => {
    const again = (name: string, args: object) => [answerWithCall(name, args), answerWithCall(name, args)];
    expect(await toolResults('mcp-poll', again('mcp__all__echo', { message: 'x' }))).toHaveLength(2);
    expect(await toolResults('mcp-twice', again('mcp__all__get-sum', { a: 1, b: 2 }))).toHaveLength(1);
  });
});

describe('an MCP server that misbehaves', () => {
  it.each([
    ['hangs', 'look', { success: false, error: 'timed out after 0.5 s' }],
    ['hangs', 'change', { success: false, error: 'OUTCOME_UNKNOWN' }],
    ['crashes', 'look', { success: false, attempts: 3 }],
    ['crashes', 'change', { success: false, attempts: 1, error: 'OUTCOME_UNKNOWN' }],
    ['lies', 'look', { success: true, result: 'a\ufffdb\ufffd' }],
    ['lies', 'constructor', { success: true }],
  ])('costs a turn the one result at most: %s, %s', async (server, tool, result) => {
    const results = await toolResults(`mcp-${server}-${tool}`, [
      answerWithCall(`mcp__${server}__${tool}`, {}),
    ]);
    expect(results).toMatchObject([result]);
  });
});

const isAlive = async (pid: number): Promise<boolean> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z');
  return !stat.includes(') Z');
};

/** Returns the process id of the server that neither the end of its input nor SIGTERM ends. */
const deafPid = async (at: string): Promise<number> =>
  Number(await readFile(join(at, 'stubborn.pid'), 'utf8'));

describe('processes of MCP servers', () => {
  it('end with a worker that is killed, and the next one has its own', async () => {
    const before = await deafPid(folder);
    expect(await isAlive(before)).toBe(true);
    await stack.kill('worker');
    await eventually('the end of the server', async () => !(await isAlive(before)));
    const results = await toolResults('mcp-after-kill', [
      answerWithCall('mcp__fs__read_text_file', { path: join(folder, 'files', 'a.txt') }),
    ]);
    expect(results).toMatchObject([{ success: true }]);
    expect(await isAlive(await deafPid(folder))).toBe(true);
  });

  it('end with the stack', async () => {
    const own = await mkdtemp(join(tmpdir(), 'orion-mcp-ends-'));
    const other = await startStack(own, { deaf: faulty(own, 'stubborn') });
    try {
      const pid = await deafPid(own);
      expect(await isAlive(pid)).toBe(true);
      await other.stop();
      expect(await isAlive(pid)).toBe(false);
    } finally {
      await other.stop();
      await rm(own, { recursive: true, force: true });
    }
  });
});
