/** The labelled traces through the product as `npm start` runs it: turns over HTTP, tools of MCP servers. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { HttpPlay } from '../discipline/http-play.ts';
import { figuresOf, type Score, scoreTrace, tableOf } from '../discipline/score.ts';
import { readTraces } from '../discipline/trace.ts';
import { worldServers } from '../discipline/world-servers.ts';
import { ChatClient } from '../support/chat-client.ts';
import { type FakeModel, startFakeModel } from '../support/fake-model/fake-model.ts';
import { OrionStack } from '../support/orion-stack.ts';

jest.setTimeout(60_000);

const TURNS_AT_ONCE = 12;

const traces = readTraces();
const scores: Score[] = [];
let folder: string;
let fake: FakeModel;
let stack: OrionStack;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orion-discipline-'));
  const config = join(folder, 'mcp.json');
  const mcpServers: Record<string, object> = {};
  for (const { name, args, effects } of worldServers(traces)) {
    const orion = { effect: effects, timeoutMs: 30_000 };
    mcpServers[name] = { command: process.execPath, args, orion };
  }
  await writeFile(config, JSON.stringify({ mcpServers }));
  const play = new HttpPlay(traces);
  fake = await startFakeModel({ respond: play.respond });
  stack = await OrionStack.start({
    OPENAI_BASE_URL: fake.baseUrl,
    OPENAI_API_KEY: 'sk-test',
    ORION_MODEL: 'fake',
    ORION_MCP_CONFIG: config,
    // Each worker has servers of its own, and a trace one world.
    ORION_WORKERS: '1',
  });
  const chat = new ChatClient(stack.baseUrl);
  const waiting = [...traces.entries()];
  const playOn = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [number, trace] = next;
      scores.push(scoreTrace(trace, await play.play(chat, trace, number)));
    }
  };
  await Promise.all(Array.from({ length: TURNS_AT_ONCE }, playOn));
}, 300_000);
afterAll(async () => {
  await stack?.stop();
  await fake?.close();
  await rm(folder, { recursive: true, force: true });
});

describe('tool discipline over HTTP and MCP, 25 cycles, 12 turns at once', () => {
  it('plays all 172 traces', () => {
    process.stdout.write(`${tableOf(scores)}\n`);
    expect(scores).toHaveLength(172);
  });

  it('ends at least 99 % of the loops within their bound', () => {
    const { endless, ended } = figuresOf(scores);
    process.stdout.write(`loops ended: ${(100 * ended).toFixed(1)} %\n${endless.join('\n')}\n`);
    expect(ended).toBeGreaterThanOrEqual(0.99);
  });

  it('harms at most 2 % of the honest work', () => {
    const { harms, harmed } = figuresOf(scores);
    process.stdout.write(`honest work harmed: ${(100 * harmed).toFixed(1)} %\n${harms.join('\n')}\n`);
    expect(harmed).toBeLessThanOrEqual(0.02);
  });
});
