/** Tests input requests and their replies on the processes of `npm start`, through terminals as people use them. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TerminalCli } from '../cli/support/terminal-cli.ts';
import type { ChatBody, ChatClient } from '../support/chat-client.ts';
import { eventually } from '../support/eventually.ts';
import type { FakeModel } from '../support/fake-model/fake-model.ts';
import { answer, answerWithCall } from '../support/fake-model/responses.ts';
import { createStateDir, runOrion } from '../support/orion-cli.ts';
import { OrionStack } from '../support/orion-stack.ts';
import { useStack } from '../support/use-stack.ts';

const KEYS = 'y allow';
/** What `reply` prints; it first says that it tries again while Temporal is not ready after a restart. */
const REPLIED = /^(?:Not taken yet \(\w+\)\. Trying again \.\.\.\n)?r-\w+\/1: \w+ by local, /;
const state = createStateDir();
const terminals: TerminalCli[] = [];
afterEach(async () => {
  for (const one of terminals.splice(0)) await one.stop();
});
afterAll(() => state.remove());

const terminal = (url: string, args: readonly string[]): TerminalCli => {
  const opened = new TerminalCli({ url, args, columns: 100, rows: 30 });
  terminals.push(opened);
  return opened;
};

describe('requests', () => {
  let stack: OrionStack;
  let chat: ChatClient;
  let fake: FakeModel;
  useStack({ ORION_COMMANDS: 'ask' }, (started) => {
    ({ stack, chat, fake } = started);
  });

  const orion = (...args: readonly string[]) =>
    runOrion(args, { url: stack.baseUrl, env: { XDG_STATE_HOME: state.path } });
  const at = (...args: readonly string[]): TerminalCli => terminal(stack.baseUrl, args);
  const path = (name: string): string => join(stack.dataDir, 'workspace', name);
  const writes = (name: string) =>
    answerWithCall('FileSystemTool_write_to_file', { path: name, content: 'new\n' });

  /** Starts a turn; resolves once it waits. */
  const startUntilWaiting = async (turnId: string, body: Omit<ChatBody, 'requestId'>): Promise<string> => {
    await chat.start({ content: turnId, ...body, requestId: turnId });
    await eventually('the request', async () => {
      const { input } = await chat.json(`/api/turns/${turnId}/inputs/1`);
      return (input as { status?: string } | undefined)?.status === 'open';
    });
    return `${turnId}/1`;
  };
  const attached = async (turnId: string) => {
    const { code, stdout } = await orion('attach', turnId);
    return { code, stdout: stdout.trimEnd() };
  };

  it('of several kinds survive a stop of all processes, and are answered once from another terminal', async () => {
    const tool = { name: 'app_click', description: 'Clicks a button' };
    fake.rules(
      { match: { user: 'r-write' }, responses: [writes('r-write.md'), answer('Written.')] },
      {
        match: { user: 'r-ask' },
        responses: [answerWithCall('UserTool_ask', { question: 'Which colour?' }), answer('Thanks.')],
      },
      {
        match: { user: 'r-limit' },
        responses: [answerWithCall('FileSystemTool_list_files', {}), answer('Listed.')],
      },
      {
        match: { user: 'r-client' },
        responses: [answerWithCall('app_click', { at: 1 }), answer('Clicked.')],
      },
    );
    await Promise.all([
      startUntilWaiting('r-write', { metadata: { approvals: 'writes' } }),
      startUntilWaiting('r-ask', { metadata: { inputs: ['question'] } }),
      startUntilWaiting('r-limit', { metadata: { inputs: ['limit'], maxPhaseCycles: 1 } }),
      startUntilWaiting('r-client', { tools: [tool] } as ChatBody),
    ]);
    await stack.restart();
    expect((await orion('waiting', '--project', 'test')).stdout.split('\n').length - 1).toBe(4);
    const replies = await Promise.all([
      orion('reply', 'r-write/1', 'allow'),
      orion('reply', 'r-ask/1', 'answer', '--content', 'blue'),
      orion('reply', 'r-limit/1', 'answer_now'),
      orion('reply', 'r-client/1', 'result', '--content', 'done'),
    ]);
    expect(replies.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      replies.map(() => ({ code: 0, stderr: expect.stringMatching(REPLIED) })),
    );
    const late = await orion('reply', 'r-write/1', 'deny');
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('input_closed') });
    expect(await Promise.all(['r-write', 'r-ask', 'r-client'].map(attached))).toEqual([
      { code: 0, stdout: 'Written.' },
      { code: 0, stdout: 'Thanks.' },
      { code: 0, stdout: 'Clicked.' },
    ]);
    expect((await attached('r-limit')).code).toBe(4);
    expect(await readFile(path('r-write.md'), 'utf8')).toBe('new\n');
    const { events } = (await chat.json('/api/trace/logs?projectId=test&requestId=r-write')) as {
      events: { type: string }[];
    };
    expect(events.filter(({ type }) => type === 'tool_result')).toHaveLength(1);
  });

  it('two terminals that answer at once see one winner', async () => {
    fake.rules({ match: { user: 'of-two' }, responses: [writes('two.md'), answer('Done.')] });
    await startUntilWaiting('of-two', { metadata: { approvals: 'writes' } });
    const [one, other] = [at('attach', 'of-two'), at('attach', 'of-two')];
    await Promise.all([one.shows(KEYS), other.shows(KEYS)]);
    other.type('n');
    await other.shows('why, for the model');
    other.type('\r');
    one.type('y\r');
    const codes = await Promise.all([one.ended, other.ended]);
    const { input } = (await chat.json('/api/turns/of-two/inputs/1')) as {
      input: { resolution: { reply: string } };
    };
    const { reply } = input.resolution;
    for (const { terminal: screen } of [one, other]) {
      expect(await screen.text()).toContain(`of-two/1: ${reply} (local)`);
    }
    expect(codes).toEqual(reply === 'allow' ? [0, 0] : [6, 6]);
    expect(existsSync(path('two.md'))).toBe(reply === 'allow');
  });

  it('a command needs approval on a terminal, and shows its output while it runs', async () => {
    const command = 'echo one; read -t 2 < /dev/null; echo two > out.txt; cat out.txt';
    fake.rules({ responses: [answerWithCall('TerminalTool_run_command', { command }), answer('Done.')] });
    const cli = at('-p', 'run it');
    await cli.shows(KEYS);
    cli.type('y');
    expect(await cli.ended).toBe(0);
    expect(await cli.terminal.text()).toMatch(/│ one\n {2}│ two\n✓ run_command .* exit 0\n/);
    expect(await readFile(path('out.txt'), 'utf8')).toBe('two\n');
  });

  it('--answer replies automatically, and what was denied ends with 6', async () => {
    fake.script(writes('by-itself.md'), answer('Written.'));
    const allowed = await orion('-p', 'write it', '--approve', 'writes', '--answer', 'allow');
    expect(allowed).toMatchObject({ code: 0, stdout: 'Written.\n' });
    expect(await readFile(path('by-itself.md'), 'utf8')).toBe('new\n');
    fake.script(writes('denied.md'), answer('Not written.'));
    const denied = await orion('-p', 'write it', '--approve', 'writes', '--answer', 'deny');
    expect(denied).toMatchObject({ code: 6, stderr: expect.stringContaining('+new') });
    expect(existsSync(path('denied.md'))).toBe(false);
  });

  it('a question and a limit are asked on a terminal', async () => {
    fake.rules({
      responses: [
        answerWithCall('UserTool_ask', { question: 'Which colour?', options: ['red', 'blue'] }),
        answer('Blue it is.'),
      ],
    });
    const cli = at('-p', 'ask me', '--max-cycles', '1');
    await cli.shows('1-2 or your answer');
    cli.type('2\r');
    await cli.shows('y keep going');
    cli.type('y');
    await cli.shows('Blue it is.');
    expect(await cli.ended).toBe(0);
    expect(JSON.stringify(fake.requests[1]?.body)).toContain('blue');
  });
});

describe('the sample workspace', () => {
  let stack: OrionStack;
  beforeAll(async () => {
    stack = await OrionStack.start({ OPENAI_API_KEY: '', OPENAI_BASE_URL: '', ORION_COMMANDS: 'ask' });
  });
  afterAll(() => stack?.stop());

  it('has a bug that the demo model fixes while a person approves, with a diff of one line and a passing test', async () => {
    const cli = terminal(stack.baseUrl, [
      '--approve',
      'writes',
      'Fix the bug in src/calc.js, then run the tests',
    ]);
    const asked = await cli.shows(KEYS);
    const lines = asked.split('\n').filter((line) => /^ {2}[-+](?!-- |\+\+ )/.test(line));
    expect(lines).toEqual([
      '  -export const add = (a, b) => a - b;',
      '  +export const add = (a, b) => a + b;',
    ]);
    cli.type('y');
    await cli.until((screen) => screen.split(KEYS).length === 3, 'the second request');
    cli.type('y');
    const screen = await cli.shows('The command ended with 0');
    expect(screen).toMatch(/pass 2\b/);
    expect(screen).toMatch(/fail 0\b/);
  });
});
