/**
 * Tests examples/mcp-server.mjs behind Orion, started as examples/README.md says: what its tools are, and what they do.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { z } from 'zod';
import { ChatClient } from '../support/chat-client.ts';
import { type FakeModel, startFakeModel } from '../support/fake-model/fake-model.ts';
import { answer, answerWithCall } from '../support/fake-model/responses.ts';
import { OrionStack } from '../support/orion-stack.ts';
import { commandsUnder, settingsIn } from './support/example-commands.ts';

let folder: string;
let fake: FakeModel;
let stack: OrionStack;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orion-journal-'));
  fake = await startFakeModel();
  const [start] = commandsUnder('Tools in an MCP server');
  stack = await OrionStack.start({
    ...settingsIn(start?.script ?? ''),
    JOURNAL_FILE: join(folder, 'journal.txt'),
    OPENAI_BASE_URL: fake.baseUrl,
    OPENAI_API_KEY: 'sk-test',
    ORION_MODEL: 'fake',
  });
});
afterAll(async () => {
  await stack?.stop();
  await fake?.close();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => fake.clear());

const requestSchema = z.object({
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })),
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
});
const requestAt = (index: number) => requestSchema.parse(fake.requests.at(index)?.body);

const offered = (): readonly string[] =>
  requestAt(-1)
    .tools.map((tool) => tool.function.name)
    .filter((name) => name.startsWith('mcp__'));

it('the example writes and reads notes, each in a turn of the model', async () => {
  fake.script(
    answerWithCall('mcp__journal__note', { text: 'The tests\npass.' }),
    answerWithCall('mcp__journal__read', { entries: 3 }),
    answer('Noted.'),
  );
  const turn = await new ChatClient(stack.baseUrl).chat({ content: 'Note it.' });
  await turn.ended;
  expect(turn.frames.at(-1)?.data).toMatchObject({ reason: 'answered' });
  expect(await readFile(join(folder, 'journal.txt'), 'utf8')).toBe('The tests pass.\n');
  const results = requestAt(-1).messages.filter(({ role }) => role === 'tool');
  expect(results.map(({ content }) => content)).toEqual([
    expect.stringContaining('noted'),
    expect.stringContaining('The tests pass.'),
  ]);
});

it('all tools of the example are offered in act mode, and only those that read in plan mode', async () => {
  const chat = new ChatClient(stack.baseUrl);
  fake.script(answer('Yes.'), answer('Yes.'));
  await (
    await chat.chat({ content: 'Act?', mode: 'act' })
  ).ended;
  expect(offered()).toEqual(['mcp__journal__note', 'mcp__journal__read']);
  await (
    await chat.chat({ content: 'Plan?', mode: 'plan' })
  ).ended;
  expect(offered()).toEqual(['mcp__journal__read']);
});
