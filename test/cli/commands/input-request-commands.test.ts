/** Tests how a person at a terminal reads and answers the input requests that wait. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { runReply, runWaiting } from '../../../src/cli/commands/input-request-commands.ts';
import { createInputRequestClient } from '../../../src/cli/http/input-request-client.ts';
import { createGatewayClient } from '../../../src/cli/http/gateway-client.ts';
import { GatewayRefusedError } from '../../../src/cli/http/gateway-failures.ts';
import type { ReplyBody } from '../../../src/contracts/inputs/reply.ts';
import { replyHint, inputRequestLines } from '../../../src/cli/turn/input-request-lines.ts';
import { useGatewayWorld } from '../support/gateway.ts';

const folder = mkdtempSync(join(tmpdir(), 'orion-reply-'));
afterAll(() => rmSync(folder, { recursive: true }));

const world = useGatewayWorld();
const shown: string[] = [];
const context = () => ({
  inputRequests: createInputRequestClient(createGatewayClient({ url: world().url, apiKey: undefined })),
  retry: { attempts: 1, delayMs: 0, sleep: () => Promise.resolve(), report: () => undefined },
  screen: {
    report: (line: string) => void shown.push(line),
    writeLine: (line: string) => void shown.push(line),
    write: (text: string) => void shown.push(text),
  },
  printsJson: false,
  config: { projectId: 'p' },
});
const waiting = (inputId?: string) => runWaiting(context(), { name: 'waiting', inputId });
const reply = (more: Partial<Parameters<typeof runReply>[1]>) =>
  runReply(context(), {
    name: 'reply',
    inputId: 'of:p/1',
    reply: 'allow',
    note: undefined,
    content: undefined,
    ok: true,
    argumentsFile: undefined,
    ...more,
  });

beforeEach(async () => {
  shown.length = 0;
  await world().post('/api/turns', { projectId: 'p', content: 'hi', requestId: 'of:p' });
});

describe('orion waiting', () => {
  it('lists what waits in the project, and shows one request with its diff', async () => {
    expect(await waiting()).toBe(0);
    expect(shown.splice(0)).toEqual(['Nothing waits.']);
    world().inputs.ask('of:p', 'p');
    world().inputs.ask('of:q', 'q');
    await waiting();
    expect(shown.splice(0)).toEqual([
      'of:p/1  until 2026-01-03 03:04  May FileSystemTool.write_to_file run on a.md?',
    ]);
    await waiting('of:p/1');
    expect(shown).toEqual([
      '? May FileSystemTool.write_to_file run on a.md?',
      '  --- a.md',
      '  +++ a.md',
      '  @@ -0,0 +1,1 @@',
      '  +x',
      '  Answer: orion reply of:p/1 allow|allow_turn|edit|deny (until 2026-01-03T03:04:05.000Z)',
    ]);
  });
});

describe('orion reply', () => {
  beforeEach(() => void world().inputs.ask('of:p', 'p'));

  it('approves what is shown, and says who did', async () => {
    expect(await reply({})).toBe(0);
    expect(shown.splice(0)).toEqual(['of:p/1: allow by local, 2026-01-02 03:05']);
    expect(await reply({})).toBe(0);
    await expect(reply({ reply: 'deny' })).rejects.toThrow(GatewayRefusedError);
    await waiting('of:p/1');
    expect(shown.at(-1)).toBe('  allow by local, 2026-01-02 03:05');
  });

  it('denies with a note, and edits with a file', async () => {
    await reply({ reply: 'deny', note: 'not now' });
    expect(world().inputs.rows[0]?.resolution).toMatchObject({ reply: 'deny', note: 'not now' });
    world().inputs.ask('of:p', 'p');
    const path = join(folder, 'arguments.json');
    writeFileSync(path, '{"path":"b.md"}');
    expect(await reply({ inputId: 'of:p/2', reply: 'edit', argumentsFile: path })).toBe(0);
    writeFileSync(path, '[1]');
    shown.length = 0;
    expect(await reply({ inputId: 'of:p/2', reply: 'edit', argumentsFile: path })).toBe(2);
    expect(shown).toEqual([expect.stringMatching(/^error: --arguments: expected a file with a JSON object/)]);
  });

  it('is repeated until a worker has accepted it, for as long as a lost task may last, which is reported once', async () => {
    const { inputRequests, retry } = context();
    const pauses: number[] = [];
    const refusals = { left: 9 };
    const busy = {
      ...inputRequests,
      reply: (inputId: string, body: ReplyBody) => {
        if (refusals.left === 0) return inputRequests.reply(inputId, body);
        refusals.left -= 1;
        const error = { error: 'No worker answers.', code: 'temporal_unavailable' };
        return Promise.reject(new GatewayRefusedError(503, error));
      },
    };
    const said: string[] = [];
    const sleep = (ms: number) => Promise.resolve(void pauses.push(ms));
    const patient = {
      ...context(),
      inputRequests: busy,
      retry: { ...retry, delayMs: 1_000, sleep, report: (line: string) => void said.push(line) },
    };
    const given = { name: 'reply', inputId: 'of:p/1', reply: 'allow', ok: true } as const;
    const nothing = { note: undefined, content: undefined, argumentsFile: undefined };
    expect(await runReply(patient, { ...given, ...nothing })).toBe(0);
    expect(pauses).toEqual(Array.from({ length: 9 }, () => 1_000));
    expect(said).toEqual(['Not taken yet (temporal_unavailable). Trying again ...']);
    refusals.left = 10;
    await expect(runReply(patient, { ...given, ...nothing })).rejects.toThrow('No worker answers.');
  });

  it('says that there is no such request', async () => {
    await expect(reply({ inputId: 'of:p/7' })).rejects.toThrow('There is no input request of:p/7.');
  });
});

const asked = { inputId: 't/1', kind: 'approval' } as const;

it('a request shows its arguments where it has no diff, and where the rest is', () => {
  const lines = inputRequestLines({ ...asked, message: 'May it?', arguments: '{"to":"x"}', truncated: true });
  expect(lines).toEqual(['? May it?', '  {"to":"x"}', '  … the rest: orion waiting t/1']);
  const how = replyHint({ inputId: 't/1', options: ['allow', 'deny'], expiresAt: 'then' });
  expect(how).toBe('  Answer: orion reply t/1 allow|deny (until then)');
});

it('a request shows its arguments beside a diff in words, and only lines of Orion begin like its message', () => {
  const lines = inputRequestLines({
    ...asked,
    message: 'May it run on a\n? b?',
    arguments: '{"path":"x"}',
    diff: 'x: 300000 bytes → 200 bytes',
  });
  expect(lines).toEqual([
    String.raw`? May it run on a\u000a? b?`,
    '  x: 300000 bytes → 200 bytes',
    '  {"path":"x"}',
  ]);
});

it('a question shows what there is to choose from, and how to answer it in words', () => {
  const question = { ...asked, kind: 'question', message: 'Which colour?' } as const;
  expect(inputRequestLines({ ...question, arguments: '{"question":"Which colour?"}' })).toEqual([
    '? Which colour?',
  ]);
  const options = { question: 'Which colour?', options: ['red', 'a\nb'], multiple: true };
  expect(inputRequestLines({ ...question, arguments: JSON.stringify(options) })).toEqual([
    '? Which colour?',
    '  1 red',
    String.raw`  2 a\u000ab`,
    '  (more than one may be chosen)',
  ]);
  const how = replyHint({ inputId: 't/1', options: ['answer', 'deny'], expiresAt: 'then' });
  expect(how).toBe('  Answer: orion reply t/1 answer --content "…"|deny (until then)');
});
