/** Tests the `orion` command as a process: files that a model or a person writes through it. */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { traceListSchema } from '../../src/contracts/http/trace-api.ts';
import type { ChatClient } from '../support/chat-client.ts';
import { eventually } from '../support/eventually.ts';
import type { FakeModel } from '../support/fake-model/fake-model.ts';
import { answer, answerWithCall } from '../support/fake-model/responses.ts';
import type { Response } from '../support/fake-model/script.ts';
import { OrionCli, type CliRunOptions } from '../support/orion-cli.ts';
import type { OrionStack } from '../support/orion-stack.ts';
import { ATTEMPTS, heldAt, useCli, type CliInUse } from './support/cli-world.ts';

const IDLE_PROMPT = "If you're finished, reply DONE on its own line. Otherwise continue writing.";

let fake: FakeModel;
let stack: OrionStack;
let chat: ChatClient;
let statePath: string;
let options: CliRunOptions;
let orion: CliInUse['orion'];
useCli((world) => void ({ stack, chat, fake, statePath, options, orion } = world));

const inWorkspace = (path: string): string => join(stack.dataDir, 'workspace', path);
const written = (path: string): Promise<string> => readFile(inWorkspace(path), 'utf8');
const put = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(inWorkspace(path)), { recursive: true });
  await writeFile(inWorkspace(path), text);
};
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const keptFiles = (): Promise<string[]> =>
  readdir(join(statePath, 'orion', 'write-sessions')).catch(() => []);

const fileText = (lines: number): string =>
  Array.from({ length: lines }, (_, i) => `Line ${i + 1} of the file\n`).join('');
/** Splits what a model streams when it writes a file into pieces that do not end at lines. */
const pieces = (text: string): string[] => text.match(/.{1,400}/gsu) ?? [];
const begin = (target: string): Response =>
  answerWithCall('WritePlanTool_begin', { target_file: target, operation: 'create' }, { text: 'I begin.' });

/** Cancels a session that a failed write has left open, because it would block the next one. */
const cancelOpenSession = async (): Promise<void> => {
  const line = (await orion(['sessions'])).stdout
    .split('\n')
    .find((each) => each.includes('awaiting_content'));
  if (line !== undefined) await orion(['write', 'cancel', line.slice(0, line.indexOf(' '))]);
};

describe('a file that a model writes', () => {
  const content = fileText(2_000);

  it('is finalized by the command, byte for byte, and reported once', async () => {
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

  it('fails at once if it exists already: the turn does not wait for a client that has tried', async () => {
    await put('docs/there.md', 'old\n');
    fake.script(begin('docs/there.md'), answer('other\nDONE\n'), answer('Not written.'));
    const { code, stderr } = await orion(['-p', 'write it', '-v']);
    expect(code).toBe(1);
    expect(stderr).toContain('The file was not written: file exists: docs/there.md');
    const [, turnId = ''] = /^turn ([\w-]{36}) /m.exec(stderr) ?? [];
    const { events } = traceListSchema.parse(
      await chat.json(`/api/trace/logs?projectId=default&requestId=${turnId}`),
    );
    const calls = events.flatMap(({ type, createdAt }) =>
      type === 'llm_call' || type === 'llm_result' ? [Date.parse(createdAt)] : [],
    );
    expect(calls).toHaveLength(6);
    // This is the time from the end of the text to the next call; a client that is to finalize has 30 s.
    expect((calls[4] ?? 0) - (calls[3] ?? 0)).toBeLessThan(25_000);
    expect(await written('docs/there.md')).toBe('old\n');
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
    await eventually('what is kept', async () => (await keptFiles()).some((name) => name.endsWith('.json')));
    cli.child.kill('SIGKILL');
    await cli.ended;
    const recovery = new OrionCli(['write', 'recover'], options);
    fake.release(gate);
    expect(await recovery.ended).toBe(0);
    expect(await written('docs/recovered.md')).toBe(content);
    expect(await keptFiles()).toEqual([]);
  });

  it('leads in a silence to the question whether it is finished', async () => {
    const gate = randomUUID();
    fake.script(
      begin('slow.md'),
      {
        steps: [{ text: 'one\n' }, { gate }, { text: 'DONE\n' }, { finish: 'stop' }, { done: true }],
      },
      answer('ok'),
    );
    const cli = new OrionCli(['-p', 'write'], {
      ...options,
      env: { ...options.env, WRITE_SESSION_IDLE_MS: '150' },
    });
    await cli.shows(IDLE_PROMPT, 'stderr');
    fake.release(gate);
    expect(await cli.ended).toBe(0);
    expect(cli.stderr.split(IDLE_PROMPT)).toHaveLength(2);
    expect(await written('slow.md')).toBe('one\n');
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
    expect(existsSync(inWorkspace('by-hand.txt'))).toBe(false);
  });

  it('keeps slow content as a draft: after a kill -9 it can still be written', async () => {
    const id = await beginOne('slow-hand.txt');
    const cli = new OrionCli(['write', 'finalize', id], { ...options, keepsInputOpen: true });
    cli.type('first half\n');
    await eventually('the draft', async () => {
      const { draft_bytes: bytes } = await chat.json(`/api/write-session/status/${id}`);
      return bytes === 11;
    });
    cli.child.kill('SIGKILL');
    await cli.ended;
    const recovery = await orion(['write', 'recover']);
    expect(recovery.code).toBe(1);
    expect(recovery.stderr).toContain(`orion write finalize ${id} --draft`);
    expect((await orion(['write', 'finalize', id, '--draft'])).code).toBe(0);
    expect(await written('slow-hand.txt')).toBe('first half\n');
    expect(await keptFiles()).toEqual([]);
  });

  it('a draft replaces a longer file only when that is requested', async () => {
    await put('long.txt', 'a long text that stands\n');
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

  it('an unknown session is reported as such', async () => {
    const { code, stderr } = await orion(['write', 'finalize', randomUUID(), '--draft']);
    expect({ code, stderr }).toEqual({ code: 5, stderr: 'There is no such write session.\n' });
  });

  it('refuses 11 MB, and says how much the gateway takes', async () => {
    const id = await beginOne('large.txt');
    const { code, stderr } = await orion(['write', 'finalize', id], 'x'.repeat(11_000_000));
    expect([code, stderr]).toEqual([
      1,
      'Content too large (exceeds 10MB). Please split into smaller files.\nThis gateway takes at most 10,485,760 bytes of content.\n',
    ]);
    await orion(['write', 'cancel', id]);
  });

  it('says that blank content is refused, and by whom', async () => {
    const id = await beginOne('blank.txt');
    const { code, stderr } = await orion(['write', 'finalize', id], ' \n');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Content validation failed: .+\. Please fix and try again\.\n$/);
    await orion(['write', 'cancel', id]);
  });

  it('ends with 5 while another write session is in the way', async () => {
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
});
