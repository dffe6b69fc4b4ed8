/** The `orion` command as a process, on the processes that `npm start` runs, against a scripted provider. */
import { afterAll, describe, expect, it } from '@jest/globals';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ChatClient } from '../support/chat-client.ts';
import type { FakeModel } from '../support/fake-model/fake-model.ts';
import { answer, longAnswer, refusal, toolCall } from '../support/fake-model/responses.ts';
import type { Response } from '../support/fake-model/script.ts';
import { createStateDir, OrionCli, runOrion, type CliRunOptions } from '../support/orion-cli.ts';
import type { OrionStack } from '../support/orion-stack.ts';
import { useStack } from '../support/use-stack.ts';

const IDLE_PROMPT = "If you're finished, reply DONE on its own line. Otherwise continue writing.";

let fake: FakeModel;
let stack: OrionStack;
const state = createStateDir();
let options: CliRunOptions;

useStack({ ORION_MODELS: 'large' }, (started) => {
  ({ stack, fake } = started);
  options = { url: stack.baseUrl, env: { XDG_STATE_HOME: state.path, RETRY_DELAY_MS: '50' } };
});
afterAll(() => state.remove());

const orion = (args: readonly string[], input?: string) =>
  runOrion(args, { ...options, ...(input !== undefined && { input }) });

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const written = (path: string): Promise<string> => readFile(join(stack.dataDir, 'workspace', path), 'utf8');
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const keptFiles = (): Promise<string[]> =>
  readdir(join(state.path, 'orion', 'write-sessions')).catch(() => []);

const fileText = (lines: number): string =>
  Array.from({ length: lines }, (_, i) => `Line ${i + 1} of the file\n`).join('');
/** What a model streams that writes a file, in pieces that do not end at lines. */
const pieces = (text: string): string[] => text.match(/.{1,400}/gsu) ?? [];
const begin = (target: string): Response =>
  toolCall('WritePlanTool_begin', { target_file: target, operation: 'create' }, { text: 'I begin.' });

describe('one prompt', () => {
  it('prints the answer alone on stdout and ends with 0', async () => {
    fake.script(
      toolCall('FileSystemTool_list_files', { path: '.' }, { text: 'I will look. ' }),
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
    expect(asked[0]).toContain('"from stdin"');
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

  it('3: nobody answers, said once per attempt', async () => {
    const { code, stderr } = await runOrion(['-p', 'x'], { ...options, url: 'http://127.0.0.1:9' });
    expect(code).toBe(3);
    const lines = stderr.split('\n').filter((line) => line.startsWith('Failed to connect'));
    expect(lines).toEqual([
      'Failed to connect to backend. Check if server is running. Retrying... (attempt 1/2)',
      'Failed to connect to backend. Check if server is running. Retrying... (attempt 2/2)',
    ]);
  });

  it('4: a budget forced the answer', async () => {
    fake.script(toolCall('FileSystemTool_list_files', { path: '.' }), answer('enough'));
    const { code, stdout } = await orion(['-p', 'x', '--max-cycles', '1']);
    expect(code).toBe(4);
    expect(stdout).toContain('enough');
  });

  it('5: another write session is in the way', async () => {
    const first = await orion(['write', 'begin', '--target', 'first.md', '--operation', 'create']);
    const second = await orion(['write', 'begin', '--target', './first.md', '--operation', 'create']);
    expect(second.code).toBe(5);
    const id = first.stdout.trim();
    expect(second.stderr).toBe(
      'Cannot start new session: Another write session is already active. Please wait for it to complete.\n' +
        `first.md belongs to write session ${id} (project default); \`orion write cancel ${id}\` frees it.\n`,
    );
    fake.script(begin('first.md'), answer('I could not.'));
    const asked = await orion(['-p', 'write it']);
    expect(asked).toMatchObject({ code: 5, stderr: second.stderr });
    expect((await orion(['write', 'cancel', first.stdout.trim()])).code).toBe(0);
  });

  it('130: Ctrl-C cancels the turn', async () => {
    fake.rules({ responses: [longAnswer(2_000, 50)], repeat: true });
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
    fake.rules({ responses: [longAnswer(2_000, 50)], repeat: true });
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
    fake.rules({ responses: [longAnswer(2_000, 50)], repeat: true });
    const project = randomUUID();
    const owner = new OrionCli(['-p', 'a long story', '--stream', '--project', project], options);
    await owner.shows('#10@');
    // The newest turn of the project, without an id.
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
    fake.rules({ responses: [longAnswer(2_000, 50)], repeat: true });
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
    await new ChatClient(stack.baseUrl).follow(turnId);
    const { stdout } = await orion(['sessions', '--project', project]);
    expect(stdout).toMatch(/^main .*Tell me a long story$/m);
    expect(stdout).toContain(`turn ${turnId} completed`);
    expect(await orion(['cancel', '--project', randomUUID()])).toMatchObject({ code: 1 });
  });
});

describe('what is said of a turn', () => {
  it('text in a pipe is kept when the turn is cancelled, and when it fails', async () => {
    fake.rules({ responses: [longAnswer(2_000, 50)], repeat: true });
    const cancelled = new OrionCli(['-p', 'long'], options);
    await fake.nextRequest();
    await pause(1_000);
    expect(cancelled.stdout).toBe('');
    cancelled.child.kill('SIGINT');
    expect(await cancelled.ended).toBe(130);
    expect(cancelled.stdout).toContain('#1@');
    fake.clear();
    fake.script(
      toolCall('FileSystemTool_list_files', { path: '.' }, { text: 'Before the failure. ' }),
      refusal(401, { message: 'bad key' }),
    );
    const failed = await orion(['-p', 'x']);
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('Before the failure.') });
  });

  it('-v tells what each tool was about, what came of it and why not', async () => {
    fake.script(
      toolCall('FileSystemTool_write_to_file', { path: 'said/a.md', content: 'one\ntwo\n' }),
      toolCall('FileSystemTool_search_files', { path: 'nowhere', regex: 'foo' }),
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

  it('a model is asked for by name, and only one that is offered', async () => {
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

/** A response that stops in its middle until the gate opens, in every attempt. */
const heldAt = (gate: string, parts: readonly string[]): Response => {
  const middle = Math.floor(parts.length / 2);
  const texts = parts.map((text) => ({ text }));
  const steps = [...texts.slice(0, middle), { gate }, ...texts.slice(middle)];
  return { steps: [...steps, { finish: 'stop' }, { done: true }] };
};

/** How often the model is asked for the text when a process of that role dies in its middle. */
const ATTEMPTS = [
  ['gateway', 1],
  ['worker', 2],
] as const;

describe('kill -9 in mid-stream', () => {
  const text = Array.from({ length: 300 }, (_, i) => `word${i + 1} `);

  it.each(ATTEMPTS)('of the %s: stdout has the answer once and whole', async (role, attempts) => {
    const gate = randomUUID();
    fake.rules({ responses: [heldAt(gate, text)], repeat: true });
    const cli = new OrionCli(['-p', 'long', '-v'], options);
    await fake.nextRequest();
    await pause(500);
    await stack.kill(role);
    fake.release(gate);
    expect(await cli.ended).toBe(0);
    expect(cli.stdout).toBe(`${text.join('')}\n`);
    expect(fake.requests).toHaveLength(attempts);
  });
});

/** What a failed write leaves open is in the way of the next. */
const cancelOpenSession = async (): Promise<void> => {
  const line = (await orion(['sessions'])).stdout
    .split('\n')
    .find((each) => each.includes('awaiting_content'));
  if (line !== undefined) await orion(['write', 'cancel', line.slice(0, line.indexOf(' '))]);
};

describe('a file that a model writes', () => {
  const content = fileText(2_000);

  it('is finalized by the command, byte for byte, and said once', async () => {
    fake.script(begin('docs/one.md'), answer(...pieces(`${content}DONE\n`)), answer('Written.'));
    const { code, stdout, stderr } = await orion(['-p', 'write it']);
    expect(code).toBe(0);
    expect(await written('docs/one.md')).toBe(content);
    expect(stderr).toBe(
      `Wrote docs/one.md: 2,000 lines, ${content.length.toLocaleString('en-US')} bytes, sha256 ${sha256(content)}\n`,
    );
    expect(stdout).toContain(content);
    expect(await keptFiles()).toEqual([]);
  });

  it.each(ATTEMPTS)('ends byte-exact when the %s is killed on the way', async (role, attempts) => {
    const target = `docs/killed-${role}.md`;
    const gate = randomUUID();
    fake.rules(
      { match: { lastRole: 'user' }, responses: [begin(target)] },
      {
        responses: [
          ...Array<Response>(attempts).fill(heldAt(gate, pieces(`${content}DONE\n`))),
          answer('Ok.'),
        ],
      },
    );
    const cli = new OrionCli(['-p', 'write it', '--output-format', 'stream-json'], options);
    await cli.shows('Line 900 of');
    await stack.kill(role);
    fake.release(gate);
    expect(await cli.ended).toBe(0);
    expect(await written(target)).toBe(content);
    expect(cli.stderr.match(/Wrote /g)).toHaveLength(1);
    expect(fake.requests).toHaveLength(attempts + 2);
  });

  it('that exists already fails at once: the turn does not wait for a client that had its go', async () => {
    fake.script(begin('docs/one.md'), answer('other\nDONE\n'), answer('Not written.'));
    const startedAt = performance.now();
    const { code, stderr } = await orion(['-p', 'write it']);
    expect(code).toBe(1);
    expect(stderr).toContain('The file was not written: file exists: docs/one.md');
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(await written('docs/one.md')).toBe(content);
    await cancelOpenSession();
  });

  it('is recovered after the command was killed: the text goes on, the file is exact', async () => {
    const gate = randomUUID();
    const [first = '', ...rest] = pieces(`${content}DONE\n`);
    const held: Response = {
      steps: [
        { text: first },
        { gate },
        ...rest.map((part) => ({ text: part })),
        { finish: 'stop' },
        { done: true },
      ],
    };
    fake.script(begin('docs/recovered.md'), held, answer('Written.'));
    const cli = new OrionCli(['-p', 'write it', '--output-format', 'stream-json'], options);
    await cli.shows('Line 5 of');
    while (!(await keptFiles()).some((name) => name.endsWith('.json'))) await pause(50);
    cli.child.kill('SIGKILL');
    await cli.ended;
    const recovery = new OrionCli(['write', 'recover'], options);
    fake.release(gate);
    expect(await recovery.ended).toBe(0);
    expect(await written('docs/recovered.md')).toBe(content);
    expect(await keptFiles()).toEqual([]);
  });
});

describe('orion write', () => {
  const beginOne = async (target: string): Promise<string> =>
    (await orion(['write', 'begin', '--target', target, '--operation', 'create'])).stdout.trim();

  it('writes what is piped in, to the byte, and takes it back', async () => {
    const content = '\uFEFFone\r\ntwo\0\nDONE\nno end 🙂';
    const id = await beginOne('by-hand.txt');
    expect((await orion(['write', 'status', id, '--json'])).stdout).toContain('"awaiting_content"');
    expect((await orion(['write', 'finalize', id], content)).code).toBe(0);
    expect(await written('by-hand.txt')).toBe(content);
    expect((await orion(['write', 'finalize', id], content)).code).toBe(0);
    expect((await orion(['write', 'finalize', id], 'other')).code).toBe(5);
    expect((await orion(['write', 'undo', id])).code).toBe(0);
    expect(existsSync(join(stack.dataDir, 'workspace', 'by-hand.txt'))).toBe(false);
  });

  it('keeps slow content as a draft: after a kill -9 it can still be written', async () => {
    const id = await beginOne('slow-hand.txt');
    const cli = new OrionCli(['write', 'finalize', id], { ...options, holdInput: true });
    cli.type('first half\n');
    const draft = async (): Promise<unknown> =>
      (JSON.parse((await orion(['write', 'status', id, '--json'])).stdout) as { draft_bytes: number })
        .draft_bytes;
    while ((await draft()) !== 11) await pause(100);
    cli.child.kill('SIGKILL');
    await cli.ended;
    const recovery = await orion(['write', 'recover']);
    expect(recovery.code).toBe(1);
    expect(recovery.stderr).toContain(`orion write finalize ${id} --draft`);
    expect((await orion(['write', 'finalize', id, '--draft'])).code).toBe(0);
    expect(await written('slow-hand.txt')).toBe('first half\n');
    expect(await keptFiles()).toEqual([]);
  });

  it('a draft replaces a longer file only when that is said', async () => {
    await writeFile(join(stack.dataDir, 'workspace', 'long.txt'), 'a long text that stands\n');
    const id = (
      await orion(['write', 'begin', '--target', 'long.txt', '--operation', 'overwrite'])
    ).stdout.trim();
    await fetch(`${stack.baseUrl}/api/write-session/${id}/draft`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain', 'upload-offset': '0' },
      body: 'short\n',
    });
    const refused = await orion(['write', 'finalize', id, '--draft']);
    expect(refused).toMatchObject({
      code: 1,
      stderr:
        'long.txt has 24 bytes; the draft has 6 and would replace them. Add --force to write it all the same.\n',
    });
    expect(await written('long.txt')).toBe('a long text that stands\n');
    expect((await orion(['write', 'finalize', id, '--draft', '--force'])).code).toBe(0);
    expect(await written('long.txt')).toBe('short\n');
  });

  it('a session that never was is said to be none', async () => {
    const { code, stderr } = await orion(['write', 'finalize', randomUUID(), '--draft']);
    expect({ code, stderr }).toEqual({ code: 5, stderr: 'There is no such write session.\n' });
  });

  it('refuses 11 MB with one line', async () => {
    const id = await beginOne('large.txt');
    const { code, stderr } = await orion(['write', 'finalize', id], 'x'.repeat(11_000_000));
    expect([code, stderr]).toEqual([
      1,
      'Content too large (exceeds 10MB). Please split into smaller files.\n',
    ]);
    await orion(['write', 'cancel', id]);
  });

  it('says that a blank content is refused, and by whom', async () => {
    const id = await beginOne('blank.txt');
    const { code, stderr } = await orion(['write', 'finalize', id], ' \n');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Content validation failed: .+\. Please fix and try again\.\n$/);
    await orion(['write', 'cancel', id]);
  });
});

describe('on a terminal', () => {
  const terminal = (args: readonly string[]) => new OrionCli(args, { ...options, terminal: true });

  it('says what it talks to, asks the first question, and goes on with a conversation of a list', async () => {
    fake.rules({ responses: [answer('The answer.')], repeat: true });
    const project = ['--project', randomUUID()];
    const first = terminal(['what', 'is', 'it?', ...project]);
    await first.shows(`workspace ${join(stack.dataDir, 'workspace')}`);
    await first.shows('The answer.');
    await first.shows('turn ');
    await first.shows('> ');
    first.type('\u0004');
    expect(await first.ended).toBe(0);
    const second = terminal(['--resume', ...project]);
    await second.shows('what is it?');
    await second.shows('Which one?');
    second.type('7\r');
    await second.shows('Expected a number from 1 to 1');
    await second.shows('Which one?');
    second.type('1\r');
    await second.shows('> what is it?');
    await second.shows('The answer.');
    await second.shows('> ');
    second.type('and now?\r');
    await second.shows('The answer.');
    expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain('what is it?');
    await second.shows('turn ');
    await second.shows('> ');
    second.type('\u0004');
    await second.ended;
  });

  it('claims nothing of a gateway that does not answer, and says how to start one', async () => {
    const cli = new OrionCli([], { ...options, url: 'http://127.0.0.1:9', terminal: true });
    expect(await cli.ended).toBe(3);
    expect(cli.stdout).not.toContain('Orion at');
    expect(cli.stdout).toContain('`orion up` starts Orion');
  });

  it('converses, completes commands, cancels with Ctrl-C and leaves with the second', async () => {
    fake.script(answer('# Hello\n\nthis is **bold**\n'), longAnswer(2_000, 50));
    const cli = terminal([]);
    await cli.shows('> ');
    cli.type('hi\r');
    await cli.shows('\u001B[1mbold');
    await cli.shows('> ');
    cli.type('/mo\t');
    await cli.shows('/mode ');
    cli.type('act\r');
    await cli.shows('> ');
    cli.type('long\r');
    await cli.shows('#10@');
    cli.type('\u0003');
    await cli.shows('Cancelling');
    await cli.shows('Cancelled.');
    await cli.shows('> ');
    cli.type('\u0003');
    await cli.shows('Ctrl-C again to leave');
    cli.type('\u0003');
    expect(await cli.ended).toBe(130);
  });

  it('a second Ctrl-C leaves a turn that does not end', async () => {
    fake.rules({ responses: [{ steps: [{ text: 'so' }, { stall: true }] }], repeat: true });
    const cli = terminal(['-p', 'stall']);
    await cli.shows('so');
    // Nobody is left to end the turn; the supervisor replaces them in a moment.
    for (const pid of await stack.pidsOf('worker')) process.kill(pid, 'SIGSTOP');
    cli.type('\u0003');
    await cli.shows('Cancelling');
    cli.type('\u0003');
    expect(await cli.ended).toBe(130);
    // The line is longer than the terminal is wide.
    const [, turnId = ''] = /orion attach\s+([\w-]+)/.exec(cli.stdout) ?? [];
    expect(turnId).not.toBe('');
    // Once workers are back they go on with it, which must not meet the next test's script.
    const ended = await new ChatClient(stack.baseUrl).follow(turnId);
    expect(ended.at(-1)?.data).toMatchObject({ type: 'done', status: 'cancelled' });
  });

  it('asks once in a silence whether the file is finished, never before its first word', async () => {
    const first = randomUUID();
    const second = randomUUID();
    fake.script(
      begin('slow.md'),
      {
        steps: [
          { gate: first },
          { text: 'one\n' },
          { gate: second },
          { text: 'DONE\n' },
          { finish: 'stop' },
          { done: true },
        ],
      },
      answer('ok'),
    );
    const cli = new OrionCli(['-p', 'write'], {
      ...options,
      env: { ...options.env, WRITE_SESSION_IDLE_MS: '150' },
    });
    await fake.nextRequest();
    await fake.nextRequest();
    await pause(500);
    expect(cli.stderr).not.toContain(IDLE_PROMPT);
    fake.release(first);
    await cli.shows(IDLE_PROMPT, 'stderr');
    await pause(500);
    fake.release(second);
    expect(await cli.ended).toBe(0);
    expect(cli.stderr.split(IDLE_PROMPT)).toHaveLength(2);
    expect(await written('slow.md')).toBe('one\n');
  });
});

/** The machine's own Node, where it is too old for the sources. */
const oldNode = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => existsSync(path));

(oldNode === undefined ? describe.skip : describe)('the launcher on the Node of the machine', () => {
  it('hands arguments, streams, signals and exit codes on', async () => {
    fake.script(answer('old'));
    const run = { ...options, ...(oldNode !== undefined && { node: oldNode }) };
    expect(await runOrion(['-p', 'x'], run)).toMatchObject({ code: 0, stdout: 'old\n' });
    expect((await runOrion(['--nonsense'], run)).code).toBe(2);
    fake.rules({ responses: [longAnswer(2_000, 50)], repeat: true });
    const cli = new OrionCli(['-p', 'x', '--output-format', 'stream-json'], run);
    await cli.shows('#5@');
    cli.child.kill('SIGTERM');
    expect(await cli.ended).toBe(143);
  });
});
