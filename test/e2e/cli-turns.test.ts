/** Tests the `orion` command as a process: turns that it starts, watches and cancels, whatever is killed meanwhile. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { turnListSchema } from '../../src/contracts/http/conversation-api.ts';
import type { ChatClient } from '../support/chat-client.ts';
import { eventually } from '../support/eventually.ts';
import type { FakeModel } from '../support/fake-model/fake-model.ts';
import { answer, lastingAnswer, refusal, answerWithCall } from '../support/fake-model/responses.ts';
import { OrionCli, runOrion, type CliRunOptions } from '../support/orion-cli.ts';
import type { OrionStack } from '../support/orion-stack.ts';
import { recordedText } from '../support/recording-check.ts';
import { ATTEMPTS, heldAt, useCli, type CliInUse } from './support/cli-world.ts';

let fake: FakeModel;
let stack: OrionStack;
let chat: ChatClient;
let options: CliRunOptions;
let orion: CliInUse['orion'];
useCli((world) => void ({ stack, chat, fake, options, orion } = world));

/** Resolves once the readers of a project's only turn have this text. */
const saidIn = async (projectId: string, text: string): Promise<void> => {
  const turnId = await eventually('the turn', async () => {
    const list = await chat.json(`/api/turns?projectId=${projectId}`);
    return turnListSchema.parse(list).turns[0]?.turnId;
  });
  const reader = await chat.events(turnId);
  await reader.next(() => recordedText(reader.frames).includes(text));
  reader.close();
};

describe('one prompt', () => {
  it('prints only the answer on stdout and ends with 0', async () => {
    fake.script(
      answerWithCall('FileSystemTool_list_files', { path: '.' }, { text: 'I will look. ' }),
      answer('All ', '**done**.'),
    );
    const { code, stdout, stderr } = await orion(['-p', 'look']);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'I will look. \n\nAll **done**.\n',
      stderr: '',
    });
  });

  it('takes the prompt from stdin, and both together', async () => {
    fake.rules({ responses: [answer('yes')], repeat: true });
    expect((await orion([], 'from stdin')).code).toBe(0);
    expect(JSON.parse((await orion(['--output-format', 'json'], 'x')).stdout)).toMatchObject({
      content: 'yes',
    });
    expect((await orion(['-p', 'the question'], 'the paper')).code).toBe(0);
    const asked = fake.requests.map(({ body }) => JSON.stringify(body));
    expect(asked[0]).toContain('\\n\\nfrom stdin"}');
    expect(asked[2]).toContain('the question\\n\\nthe paper');
  });

  it('goes on with the newest conversation only when asked to', async () => {
    fake.rules({ responses: [answer('yes')], repeat: true });
    const project = ['--project', randomUUID()];
    await orion(['-p', 'my name is Ada', ...project]);
    await orion(['-p', 'another', ...project]);
    await orion(['-p', 'and now?', '-c', ...project]);
    const asked = fake.requests.map(({ body }) => JSON.stringify(body));
    expect(asked[1]).not.toContain('Ada');
    expect(asked[2]).toContain('another');
    expect(asked[2]).not.toContain('Ada');
  });

  it('stream-json prints every event on a line, json one result', async () => {
    fake.rules({ responses: [answer('a', 'b')], repeat: true });
    const streamed = await orion(['-p', 'x', '--output-format', 'stream-json']);
    const events = streamed.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events.map(({ type }) => type)).toEqual(['phase', 'chunk', 'chunk', 'done']);
    expect(events.every(({ id }) => /^\d+-\d+$/.test(String(id)))).toBe(true);
    const { code, stdout } = await orion(['-p', 'x', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed', reason: 'answered', content: 'ab' });
    expect(code).toBe(0);
  });
});

describe('exit codes', () => {
  it('1: the turn failed, and stderr says why', async () => {
    fake.rules({ responses: [refusal(401, { message: 'bad key' })], repeat: true });
    const { code, stdout, stderr } = await orion(['-p', 'x']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('(model_auth)');
  });

  it('2: wrong usage', async () => {
    expect((await orion(['-p', 'x', '--max-cycles', 'many'])).code).toBe(2);
    expect((await orion(['write', 'begin', '--target', 'a'])).code).toBe(2);
    expect((await orion(['-p', ' '])).code).toBe(2);
  });

  it('3: no gateway answers, reported once per attempt', async () => {
    const { code, stderr } = await runOrion(['-p', 'x'], { ...options, url: 'http://127.0.0.1:9' });
    expect(code).toBe(3);
    const lines = stderr.split('\n').filter((line) => line.startsWith('Failed to connect'));
    expect(lines).toEqual([
      'Failed to connect to backend. Check if server is running. Retrying... (attempt 1/2)',
      'Failed to connect to backend. Check if server is running. Retrying... (attempt 2/2)',
    ]);
  });

  it('4: a budget forced the answer', async () => {
    fake.script(answerWithCall('FileSystemTool_list_files', { path: '.' }), answer('enough'));
    const { code, stdout } = await orion(['-p', 'x', '--max-cycles', '1']);
    expect(code).toBe(4);
    expect(stdout).toContain('enough');
  });

  it('130: Ctrl-C cancels the turn', async () => {
    fake.rules({ responses: [lastingAnswer()], repeat: true });
    const cli = new OrionCli(['-p', 'long', '--output-format', 'stream-json'], options);
    await cli.shows('#20@');
    cli.child.kill('SIGINT');
    expect(await cli.ended).toBe(130);
    expect(JSON.parse(cli.stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'done',
      status: 'cancelled',
    });
  });
});

describe('a turn that runs', () => {
  it('is shown by attach from its beginning, and ended by cancel', async () => {
    fake.rules({ responses: [lastingAnswer()], repeat: true });
    const turnId = randomUUID();
    await fetch(`${stack.baseUrl}/api/turns`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ projectId: 'p', conversationId: turnId, content: 'x', requestId: turnId }),
    });
    const cli = new OrionCli(['attach', turnId, '--output-format', 'stream-json'], options);
    await cli.shows('#20@');
    expect((await orion(['cancel', turnId])).code).toBe(0);
    expect(await cli.ended).toBe(130);
    expect(cli.stdout).toContain('#1@');
    const trace = await orion(['trace', turnId]);
    expect(trace.stdout).toContain('user_message');
    expect((await orion(['attach', 'no-such-turn'])).code).toBe(1);
  });
});

describe('watching is not owning', () => {
  const started = async (project: string): Promise<string> => {
    const turnId = randomUUID();
    await fetch(`${stack.baseUrl}/api/turns`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ projectId: project, content: 'Tell me  a long\nstory', requestId: turnId }),
    });
    return turnId;
  };

  it('Ctrl-C in attach leaves the turn running; its owner hears who cancelled it', async () => {
    fake.rules({ responses: [lastingAnswer()], repeat: true });
    const project = randomUUID();
    const owner = new OrionCli(['-p', 'a long story', '--stream', '--project', project], options);
    await owner.shows('#10@');
    // Without an id, the newest turn of the project is shown.
    const watcher = new OrionCli(['attach', '--stream', '--project', project], options);
    await watcher.shows('#20@');
    watcher.child.kill('SIGINT');
    expect(await watcher.ended).toBe(130);
    const [, turnId = ''] = /orion cancel ([\w-]+)/.exec(watcher.stderr) ?? [];
    await owner.shows('#60@');
    const cancelled = await orion(['cancel', turnId.slice(0, 8), '--project', project]);
    expect(cancelled).toMatchObject({ code: 0, stderr: 'The turn is being cancelled.\n' });
    expect(await owner.ended).toBe(130);
    expect(owner.stderr).toContain('cancelled by another program or terminal of this machine');
  });

  it('attach --own cancels as the owner does', async () => {
    fake.rules({ responses: [lastingAnswer()], repeat: true });
    const turnId = await started('p');
    const cli = new OrionCli(['attach', turnId, '--own', '--stream'], options);
    await cli.shows('#20@');
    cli.child.kill('SIGINT');
    expect(await cli.ended).toBe(130);
    expect(cli.stderr).toContain('Cancelled.');
  });

  it('sessions names conversations by their first words, with the newest turn', async () => {
    fake.rules({ responses: [answer('Once')], repeat: true });
    const project = randomUUID();
    const turnId = await started(project);
    await chat.follow(turnId);
    const { stdout } = await orion(['sessions', '--project', project]);
    expect(stdout).toMatch(/^main .*Tell me a long story$/m);
    expect(stdout).toContain(`turn ${turnId} completed`);
    expect(await orion(['cancel', '--project', randomUUID()])).toMatchObject({ code: 1 });
  });
});

describe('the output about a turn', () => {
  it('text in a pipe is kept when the turn is cancelled, and when it fails', async () => {
    fake.rules({ responses: [lastingAnswer()], repeat: true });
    const project = randomUUID();
    const cancelled = new OrionCli(['-p', 'long', '--project', project], options);
    await saidIn(project, '#5@');
    expect(cancelled.stdout).toBe('');
    cancelled.child.kill('SIGINT');
    expect(await cancelled.ended).toBe(130);
    expect(cancelled.stdout).toContain('#1@');
    fake.clear();
    fake.script(
      answerWithCall('FileSystemTool_list_files', { path: '.' }, { text: 'Before the failure. ' }),
      refusal(401, { message: 'bad key' }),
    );
    const failed = await orion(['-p', 'x']);
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('Before the failure.') });
  });

  it('-v prints what each tool was about, its result or why it failed', async () => {
    fake.script(
      answerWithCall('FileSystemTool_write_to_file', { path: 'said/a.md', content: 'one\ntwo\n' }),
      answerWithCall('FileSystemTool_search_files', { path: 'nowhere', regex: 'foo' }),
      answer('ok'),
    );
    const { stderr } = await orion(['-p', 'x', '-v']);
    const lines = stderr.split('\n');
    expect(lines[0]).toBe('✓ write_to_file said/a.md +2 −0');
    expect(lines[1]).toMatch(/^ {4}← \{.*said\/a\.md/);
    expect(lines).toContainEqual(
      expect.stringMatching(/^✗ search_files "foo" in nowhere — not found: nowhere/),
    );
    expect(stderr).toMatch(/^turn [\w-]{36} · [\d,]+ tokens$/m);
  });

  it('a model is selected by name, and only one that is offered', async () => {
    fake.rules({ responses: [answer('yes')], repeat: true });
    expect((await orion(['-p', 'x', '--model', 'large'])).code).toBe(0);
    expect(fake.requests.at(-1)?.body).toMatchObject({ model: 'large' });
    await orion(['-p', 'x']);
    expect(fake.requests.at(-1)?.body).toMatchObject({ model: 'fake' });
    const refused = await orion(['-p', 'x', '--model', 'huge']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('expected one of fake, large, received "huge"');
  });
});

describe('kill -9 in mid-stream', () => {
  const text = Array.from({ length: 300 }, (_, i) => `word${i + 1} `);

  it.each(ATTEMPTS)('of the %s leaves the answer on stdout once and complete', async (role, attempts) => {
    const gate = randomUUID();
    fake.rules({ responses: [heldAt(gate, text)], repeat: true });
    const project = randomUUID();
    const cli = new OrionCli(['-p', 'long', '-v', '--project', project], options);
    await saidIn(project, 'word140 ');
    await stack.kill(role);
    fake.release(gate);
    expect(await cli.ended).toBe(0);
    expect(cli.stdout).toBe(`${text.join('')}\n`);
    expect(fake.requests).toHaveLength(attempts);
  });
});
