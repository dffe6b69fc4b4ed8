/**
 * Plays the labelled traces through the product as `npm start` runs it: turns come over HTTP, tools from MCP servers.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { HttpPlay } from '../discipline/support/http-play.ts';
import { type Score, scoreTrace } from '../discipline/support/score.ts';
import { itKeepsDiscipline } from '../discipline/support/score-suite.ts';
import { readTraces } from '../discipline/support/trace.ts';
import { worldServers } from '../discipline/support/world-servers.ts';
import { ChatClient } from '../support/chat-client.ts';
import { type FakeModel, startFakeModel } from '../support/fake-model/fake-model.ts';
import { OrionStack } from '../support/orion-stack.ts';

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
    // Each worker starts MCP servers of its own, and the calls of a trace must reach one and the same.
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
  itKeepsDiscipline(scores);
});
