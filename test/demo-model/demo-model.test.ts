import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ModelMessage } from '../../src/contracts/model/model-message.ts';
import { createModelClient } from '../../src/llm/openai-client.ts';
import type { ModelClient } from '../../src/llm/model-client.ts';
import { leftOutText } from '../../src/prompts/whole-prompt.ts';
import { startDemoModel } from '../../src/demo-model/demo-model.ts';
import { ModelStreamReader } from '../../src/protocol/stream/model-stream.ts';
import { toolResultText } from '../../src/protocol/turn/tool-report.ts';
import { deltasOf } from '../llm/support/client-fixture.ts';

// These tests call the demo model as the product does: over HTTP, through the model client.
const ACT = [
  'FileSystemTool_list_files',
  'FileSystemTool_read_file',
  'FileSystemTool_search_files',
  'FileSystemTool_write_to_file',
  'FileSystemTool_edit_file',
  'WritePlanTool_begin',
];
const PLAN = ACT.slice(0, 3);
const DUPLICATE =
  'Duplicate tool call detected (already executed in this turn). Do NOT call this tool again in this turn.';

let demo: Awaited<ReturnType<typeof startDemoModel>>;
let client: ModelClient;
beforeAll(async () => {
  demo = await startDemoModel({ framesPerSecond: 100_000 });
  client = createModelClient({
    baseUrl: `http://127.0.0.1:${demo.port}/v1`,
    apiKey: undefined,
    provider: 'generic',
    idleTimeoutMs: 60_000,
    totalTimeoutMs: 20_000,
  });
});
afterAll(() => demo.close());

const definitionsOf = (tools: readonly string[]) =>
  tools.map((name) => ({ type: 'function', function: { name, description: '', parameters: {} } }) as const);

const ask = async (messages: readonly ModelMessage[], tools: readonly string[], maxTokens = 8192) => {
  const reader = new ModelStreamReader({ stopAt: 'end', lead: '', tokenBudget: 100_000 });
  const asked = {
    model: 'orion-demo',
    messages,
    tools: definitionsOf(tools),
    temperature: 0.3,
    maxTokens,
  };
  for (const delta of await deltasOf(client, asked)) reader.feed(delta);
  const [call] = reader.calls();
  const { fullContent, finishReason } = reader.end();
  return { text: fullContent, call, finishReason };
};

/** Returns the result of an executed call, or the text of its refusal. */
type Play = (
  name: string,
  args: Record<string, unknown>,
) => { result: unknown } | { error: string } | { refused: string };

/** Plays a whole turn: calls the model until it makes no more tool calls. */
const turn = async (
  question: string,
  tools: readonly string[],
  play: Play,
  role: 'tool' | 'system' = 'tool',
) => {
  const messages: ModelMessage[] = [
    { role: 'system', content: 'You are Orion.' },
    { role: 'user', content: question },
  ];
  const calls: string[] = [];
  for (let step = 0; step < 10; step += 1) {
    const { text, call } = await ask(messages, tools);
    if (!call) return { text, calls, messages };
    const args = JSON.parse(call.function.arguments) as Record<string, unknown>;
    calls.push(`${call.function.name} ${JSON.stringify(args)}`);
    const outcome = play(call.function.name, args);
    if ('refused' in outcome) {
      messages.push({ role: 'system', content: outcome.refused });
      continue;
    }
    const result = {
      toolCallId: call.id,
      toolName: call.function.name.replace('_', '.'),
      success: 'result' in outcome,
      ...(outcome as object),
      attempts: 1,
      durationMs: 1,
      timestamp: '2026-01-01T00:00:00Z',
    };
    const content = toolResultText(result, role);
    messages.push({ role: 'assistant', content: text, ...(role === 'tool' && { tool_calls: [call] }) });
    messages.push(role === 'tool' ? { role, tool_call_id: call.id, content } : { role, content });
  }
  throw new Error('the demo model does not come to an end');
};

const workspace: Play = (name, args) => {
  if (name.endsWith('list_files')) return { result: { path: args['path'], entries: ['README.md', 'src/'] } };
  if (name.endsWith('read_file')) {
    return { result: { path: args['path'], content: '1\t# Title\n2\t\n3\tbody {"x": 1}\n', total_lines: 3 } };
  }
  if (name.endsWith('search_files')) {
    return { result: { matches: [{ path: 'a.ts', line: 3, text: 'export const a' }] } };
  }
  return { result: { path: args['path'], status: 'created', bytes: 5, lines: 1 } };
};

describe('a turn of the demo model', () => {
  it.each(['tool', 'system'] as const)(
    'lists, reads, then answers from the real results (%s messages)',
    async (role) => {
      const { calls, text } = await turn('List the files and read README.md', ACT, workspace, role);
      expect(calls).toEqual([
        'FileSystemTool_list_files {"path":".","recursive":false}',
        'FileSystemTool_read_file {"path":"README.md"}',
      ]);
      expect(text).toContain('README.md, src/');
      expect(text).toContain('README.md has 3 lines. It begins:\n\n```\n# Title\n\nbody {"x": 1}\n```');
    },
  );

  it('quotes the beginning of a file in a code block that the file cannot close', async () => {
    const content = '1\t\n2\t/** Adds. */\n3\t```js\n4\t````\n5\t  d\n6\te\n7\tf\n8\tg\n';
    const { text } = await turn('Read a.md', ACT, () => ({ result: { path: 'a.md', content } }));
    expect(text).toBe('a.md has 9 lines. It begins:\n\n`````\n/** Adds. */\n```js\n````\n  d\ne\nf\n`````');
    const blank = await turn('Read a.md', ACT, () => ({ result: { path: 'a.md', content: '1\t\n' } }));
    expect(blank.text).toBe('a.md is empty.');
  });

  it('does not quote a file that it writes later in the turn', async () => {
    const { text } = await turn('Read a.md, then write a file a.md with Hello', ACT, workspace);
    expect(text).toBe('I read a.md before I changed it.\n\nI wrote a.md (5 bytes).');
  });

  it('asks a question, where it may, and repeats what was answered', async () => {
    const answers: Play = () => ({ result: { answer: 'Blue.' } });
    const asked = await turn('Ask me which colour I like', [...ACT, 'UserTool_ask'], answers);
    expect(asked.calls).toEqual(['UserTool_ask {"question":"Which colour I like?"}']);
    expect(asked.text).toContain('You answered: Blue.');
    const silent = await turn('Ask me which colour I like', ACT, answers);
    expect([silent.calls, silent.text]).toEqual([[], expect.stringContaining('I cannot ask here')]);
  });

  it('searches for what was said earlier, and says where it is', async () => {
    const matches = [
      { turn: 't', at: '2026-01-05T09:00Z', place: 'message of the user', text: 'Ada wants\ntea.' },
    ];
    const recall: Play = () => ({ result: { matches } });
    const tools = [...ACT, 'ConversationTool_search'];
    const asked = await turn('What did I say about tea and the list?', tools, recall);
    expect(asked.calls).toEqual(['ConversationTool_search {"query":"tea and the list"}']);
    expect(asked.text).toBe(
      'Earlier in this conversation:\n\n- 2026-01-05T09:00Z, message of the user: Ada wants tea.',
    );
    const nothing = await turn('What did we find about tea?', tools, () => ({ result: { matches: [] } }));
    expect(nothing.text).toBe('The search found nothing.');
  });

  it('answers the question at the beginning of a prompt, whatever was left out before it', async () => {
    const told = leftOutText({ content: 'Write a file x.md.\n[surroundings]', isComplete: true });
    const content = `${told}[surroundings]\nMode: ACT.\n[end of surroundings]\n\nRead README.md`;
    const { calls } = await turn(content, ACT, workspace);
    expect(calls).toEqual(['FileSystemTool_read_file {"path":"README.md"}']);
  });

  it('answers the question of the first start', async () => {
    const { calls, text } = await turn(
      'List the files of the workspace, then tell me in one sentence what you found.',
      ACT,
      workspace,
    );
    expect(calls).toHaveLength(1);
    expect(text).toBe('The workspace has 2 entries: README.md, src/.');
  });

  it('searches for the words as they are', async () => {
    const { calls, text } = await turn('Search for `a.b(` in src/', ACT, workspace);
    expect(calls).toEqual(['FileSystemTool_search_files {"path":"src","regex":"a\\\\.b\\\\("}']);
    expect(text).toContain('- a.ts:3:export const a');
  });

  it('writes a short file with the given words in act mode', async () => {
    const { calls } = await turn('Write a file notes/hello.md with "Hello, list and read"', ACT, workspace);
    expect(calls).toEqual([
      'FileSystemTool_write_to_file {"path":"notes/hello.md","content":"Hello, list and read\\n"}',
    ]);
  });

  it.each([
    'Edit src/a.py: replace `range(1, n)` with `range(n)`, then read src/a.py',
    'Fix the bug in src/a.py: replace "range(1, n)" by "range(n)" and read src/a.py.',
    'replace "range(1, n)" with "range(n)" in src/a.py and then read src/a.py',
  ])('edits a file: %s', async (question) => {
    const diff = '--- src/a.py\n+++ src/a.py\n@@ -1,1 +1,1 @@\n-range(1, n)\n+range(n)\n';
    const { calls, text } = await turn(question, ACT, (name, args) =>
      name.endsWith('edit_file') ? { result: { path: args['path'], bytes: 9, diff } } : workspace(name, args),
    );
    expect(calls).toEqual([
      'FileSystemTool_edit_file {"path":"src/a.py","edits":[{"old":"range(1, n)","new":"range(n)"}]}',
      'FileSystemTool_read_file {"path":"src/a.py"}',
    ]);
    expect(text).toContain('I edited src/a.py:\n\n```diff\n--- src/a.py\n');
  });

  it('finds the one kind of bug that it sees, mends it and runs the tests', async () => {
    const content = '1\texport const add = (a, b) => a - b;\n2\texport const half = (a) => a / 2;\n';
    const question = 'fix the bug in src/calc.js, then run the tests';
    const play: Play = (name, args) => {
      if (name.endsWith('read_file')) return { result: { path: args['path'], content } };
      if (name.endsWith('run_command')) return { result: { exit_code: 0, output: 'pass 2' } };
      return { result: { path: args['path'], diff: '-a\n+b\n' } };
    };
    const tools = [...ACT, 'TerminalTool_run_command'];
    const { calls, text } = await turn(question, tools, play);
    expect(calls).toEqual([
      'FileSystemTool_read_file {"path":"src/calc.js"}',
      'FileSystemTool_edit_file {"path":"src/calc.js","edits":[{"old":"export const add = (a, b) => a - b;","new":"export const add = (a, b) => a + b;"}]}',
      'TerminalTool_run_command {"command":"node --test"}',
    ]);
    expect(text).toContain('The command ended with 0:\n\n```\npass 2\n```');
    expect(text).toContain('I read src/calc.js before I changed it.\n\nI edited src/calc.js:');
    expect(text).not.toContain('It begins');
    const right = await turn(question, tools, (name, args) =>
      name.endsWith('read_file')
        ? { result: { path: args['path'], content: '1\tconst add = (a, b) => a + b;' } }
        : play(name, args),
    );
    expect(right.calls.map((call) => call.split(' ')[0])).toEqual([
      'FileSystemTool_read_file',
      'TerminalTool_run_command',
    ]);
  });

  it.each([
    ['Run `npm test`', ['npm test']],
    ['run: npm run build -- --all, then run `ls -l | wc`', ['npm run build -- --all', 'ls -l | wc']],
    ['Please run the tests.', ['node --test']],
    ['Read src/a.py and run python3 src/a.py', ['python3 src/a.py']],
    ['Fix src/a.py: replace `range(1, n)` with `range(n)`, then run the tests', ['node --test']],
    ['How does it run?', []],
  ])('runs commands: %s', async (question, commands) => {
    const ran: unknown[] = [];
    const tools = [...ACT, 'TerminalTool_run_command'];
    const { text } = await turn(question, tools, (name, args) => {
      if (!name.endsWith('run_command')) return workspace(name, args);
      ran.push(args['command']);
      return { result: { exit_code: ran.length - 1, seconds: 0.1, output: 'ok 1\nok 2\n' } };
    });
    expect(ran).toEqual(commands);
    if (commands.length > 0) expect(text).toContain('The command ended with 0:\n\n```\nok 1\nok 2\n```');
  });

  it('says in plan mode that it may not write', async () => {
    const { calls, text } = await turn(
      'List files, then write a file notes/hello.md with x',
      PLAN,
      workspace,
    );
    expect(calls).toHaveLength(1);
    expect(text).toContain('switch to ACT mode');
  });

  it('says what failed', async () => {
    const { text } = await turn('Read nope.md', ACT, () => ({ error: 'File not found: nope.md' }));
    expect(text).toContain('failed: File not found: nope.md');
  });

  it('accepts refusals and goes on', async () => {
    let asked = 0;
    const { calls, text } = await turn('Read a.md twice', ACT, (name, args) =>
      asked++ === 0 ? workspace(name, args) : { refused: DUPLICATE },
    );
    expect(calls).toHaveLength(2);
    expect(text).toContain('refused');
  });

  it('stops at a limit notice, and answers with what it has when it gets no tools', async () => {
    const limit =
      'Maximum tool execution cycles (1) reached. Provide final answer without further tool calls.';
    const { messages } = await turn('List the files and read README.md', ACT, workspace);
    const cut = [...messages.slice(0, 4), { role: 'system', content: limit } as const];
    for (const tools of [ACT, []]) {
      const { call, text } = await ask(cut, tools);
      expect(call).toBeUndefined();
      expect(text).toContain('README.md, src/');
      expect(text).toContain('had to stop');
    }
  });

  it('writes a long file as text that ends with DONE, then reports', async () => {
    const question = 'Write a file notes/long.md of 400 lines';
    const instruction = {
      session_id: 's',
      instruction: 'Now output content. End with DONE on its own line.',
    };
    const { calls, text, messages } = await turn(question, ACT, () => ({ result: instruction }));
    expect(calls[0]).toContain('WritePlanTool_begin {"target_file":"notes/long.md","operation":"create"');
    const lines = text.split('\n');
    expect(lines).toHaveLength(402);
    expect(lines[399]).toBe('Line 400 of 400 of notes/long.md');
    expect(lines.slice(400)).toEqual(['DONE', '']);
    const after = await ask(
      [...messages, { role: 'assistant', content: '[wrote notes/long.md: 400 lines]' }],
      ACT,
    );
    expect(after.call).toBeUndefined();
    expect(after.text).toContain('went through a write session');
  });

  it.each([
    ['write a 300-line file docs/a.md', 'docs/a.md', 'create'],
    ['Write a 2,000-line markdown file to docs/big.md', 'docs/big.md', 'create'],
    ['Overwrite docs/big.md with 5,000 lines', 'docs/big.md', 'overwrite'],
    ['append 200 lines to docs/big.md', 'docs/big.md', 'append'],
    ['write a 300-line file', 'notes/long.md', 'create'],
  ])('begins a write session for %j', async (question, target_file, operation) => {
    const { call } = await ask([{ role: 'user', content: question }], ACT);
    expect(JSON.parse(call?.function.arguments ?? '{}')).toMatchObject({ target_file, operation });
  });

  it('says that it is the demo model and how to get a real one', async () => {
    const { text } = await turn('Who are you?', ACT, workspace);
    for (const part of ['Orion demo model', 'OPENAI_BASE_URL', 'OPENAI_API_KEY', 'ORION_MODEL']) {
      expect(text).toContain(part);
    }
  });
});

describe('a long answer on request', () => {
  it.each([
    { question: 'Count to 500', last: '500' },
    { question: 'Please write 1,000 tokens', last: 'answer.' },
    { question: 'give me a 20 s answer', last: 'answer.' },
  ])('comes for: $question', async ({ question }) => {
    const { text, finishReason } = await ask([{ role: 'user', content: question }], ACT);
    expect(text.length).toBeGreaterThan(1_500);
    expect(finishReason).toBe('stop');
    expect(await ask([{ role: 'user', content: question }], ACT)).toMatchObject({ text });
  });

  it('is cut at max_tokens as a real model is', async () => {
    const { finishReason } = await ask([{ role: 'user', content: 'write 1000 tokens' }], [], 10);
    expect(finishReason).toBe('length');
  });

  it('that is cut before its call neither has the call nor counts it', async () => {
    const response = await fetch(`http://127.0.0.1:${demo.port}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({
        messages: [{ role: 'user', content: 'List the files' }],
        tools: definitionsOf(ACT),
        max_tokens: 1,
      }),
    });
    const answer = (await response.json()) as {
      choices: { message: { content: string; tool_calls?: unknown } }[];
      usage: { completion_tokens: number };
    };
    const message = answer.choices[0]?.message;
    expect(message?.tool_calls).toBeUndefined();
    expect(answer.usage.completion_tokens).toBe(Math.ceil((message?.content.length ?? 0) / 4));
  });
});

describe('odd requests', () => {
  const post = (body: string, path = '/v1/chat/completions') =>
    fetch(`http://127.0.0.1:${demo.port}${path}`, { method: 'POST', body });

  it.each([
    ['not JSON', '{"messages":', 400],
    ['no messages', '{}', 400],
    ['messages of another shape', '{"messages":[3,null]}', 400],
    ['an empty body', '', 400],
  ])('%s is refused in the form of OpenAI', async (_, body, status) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      error: { type: 'invalid_request_error', message: expect.any(String) },
    });
  });

  it.each([
    '{"messages":[{"role":"tool","content":null}]}',
    '{"messages":[{"role":"user","content":[{"type":"image_url"},{"type":"text","text":"hi"}]}],"temperature":"x","tools":null}',
    '{"messages":[{"role":"user"},{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{"}}]},{"role":"tool","tool_call_id":"b","content":"}{"}]}',
  ])('an unusual one is answered: %s', async (body) => {
    expect(await (await post(body)).json()).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
  });

  it('get 404 for an unknown path, and the name of the model in the model list', async () => {
    expect((await post('{}', '/v1/nothing')).status).toBe(404);
    const models = await fetch(`http://127.0.0.1:${demo.port}/v1/models`);
    expect(await models.json()).toMatchObject({ data: [{ id: 'orion-demo' }] });
  });
});
