/** Tests write sessions over HTTP on the processes of `npm start`, from begin to the file on disk. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createWritePlan } from '../../src/compat/write-plan.ts';
import { eventually } from '../support/eventually.ts';
import { OrionStack } from '../support/orion-stack.ts';

/** The inactivity timeout, in milliseconds: it is longer than a slow machine takes between two requests. */
const SHORT_TIMEOUT_MS = 8_000;
const JSON_TYPE = { 'content-type': 'application/json' };
let stack: OrionStack;

/** Runs the tests of a `describe` on a stack of their own. */
const onStack = (env: Readonly<Record<string, string>>): void => {
  beforeAll(async () => {
    stack = await OrionStack.start(env);
  });
  afterAll(() => stack?.stop());
};

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Sends a request, and sends it again while a busy machine answers 503, as clients do. */
const call = (method: string, path: string, init: RequestInit = {}): Promise<Answer> =>
  eventually(
    `an answer to ${method} ${path}`,
    async () => {
      const response = await fetch(`${stack.baseUrl}/api/write-session/${path}`, { method, ...init });
      const body = (await response.json()) as Record<string, unknown>;
      return response.status !== 503 && { status: response.status, body };
    },
    100,
  );
const json = (fields: object): RequestInit => ({ headers: JSON_TYPE, body: JSON.stringify(fields) });
const begin = (target_file: string, operation = 'create'): Promise<Answer> =>
  call('POST', 'begin', {
    headers: { ...JSON_TYPE, 'idempotency-key': randomUUID() },
    body: JSON.stringify({ target_file, operation, intent: 'a test' }),
  });
const begun = async (target: string, operation?: string): Promise<string> => {
  const { status, body } = await begin(target, operation);
  expect([status, body['error']]).toEqual([200, undefined]);
  return String(body['session_id']);
};
const put = (id: string, content: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> =>
  call('PUT', `${id}/content`, { headers: { 'content-type': 'text/plain', ...headers }, body: content });
const draft = (id: string, offset: number, content: string): Promise<Answer> =>
  call('POST', `${id}/draft`, {
    headers: { 'content-type': 'text/plain', 'upload-offset': String(offset) },
    body: content,
  });
const inWorkspace = (path: string): string => join(stack.dataDir, 'workspace', path);
const fileOf = (path: string): Promise<string> => readFile(inWorkspace(path), 'utf8');

/** No test leaves its session to the next one. */
afterEach(async () => {
  const { body } = await call('GET', '');
  for (const { session_id, ended_at } of body['sessions'] as {
    session_id: string;
    ended_at: string | null;
  }[]) {
    if (ended_at === null) await call('DELETE', session_id);
  }
});

describe('a write session', () => {
  onStack({});

  it('brings 10 MiB of raw text into a file, byte by byte', async () => {
    const line = Buffer.from('Zeile mit ä, 🙂 und "Anführung"\r\n');
    const content = Buffer.alloc(10_485_760, line).fill(0x2e, 10_485_760 - line.length);
    const id = await begun('deep/down/big.txt');
    const { status, body } = await put(id, content);
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect([status, body]).toMatchObject([
      200,
      { intent: 'a test', results: [{ sha256, bytes: 10_485_760, status: 'success' }] },
    ]);
    expect((await readFile(inWorkspace('deep/down/big.txt'))).equals(content)).toBe(true);
    expect(await readdir(inWorkspace('deep/down'))).toEqual(['big.txt']);
  });

  it('creates, appends and overwrites, with JSON as well', async () => {
    await put(await begun('a.txt'), 'one\n');
    await call('POST', 'finalize', json({ content: 'two\n', session_id: await begun('a.txt', 'append') }));
    expect(await fileOf('a.txt')).toBe('one\ntwo\n');
    await put(await begun('a.txt', 'overwrite'), '\ufeffthree\0');
    expect(await fileOf('a.txt')).toBe('\ufeffthree\0');
  });

  it('that cannot be written stays open, does not change the target, and may be tried again', async () => {
    await mkdir(inWorkspace('.'), { recursive: true });
    await writeFile(inWorkspace('there.txt'), 'old');
    const id = await begun('there.txt');
    const failed = await put(id, 'new');
    expect(failed).toMatchObject({
      status: 500,
      body: {
        error: 'An internal error occurred. Please try again.',
        code: 'write_failed',
        details: { reason: expect.any(String) },
      },
    });
    expect(await fileOf('there.txt')).toBe('old');
    expect(await call('GET', `status/${id}`)).toMatchObject({
      status: 200,
      body: { stage: 'awaiting_content' },
    });
  });

  it.each(['../x', '/etc/passwd', '.git/config', 'a\0b', 'C:\\x'])(
    'is refused for the target %j',
    async (target) => {
      const { status, body } = await begin(target);
      expect([status, body['code']]).toEqual([400, 'validation_failed']);
      expect(body['error']).toMatch(/^Validation failed: /);
    },
  );

  it('is the only one on its file, whoever begins, and leaves its slot free after its end', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => begin('race.txt')));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
    const id = String(won[0]?.body['session_id']);
    expect(await call('DELETE', id)).toEqual({ status: 200, body: { message: 'Write session cancelled.' } });
    expect(await call('GET', `status/${id}`)).toMatchObject({
      status: 404,
      body: { details: { stage: 'cancelled' } },
    });
    await begun('after.txt');
  });

  it('finalized ten times at once is written once, and the repeat gets the same outcome', async () => {
    const id = await begun('once.txt', 'create');
    const answers = await Promise.all(Array.from({ length: 10 }, () => put(id, 'once\n')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await put(id, 'once\n')).toEqual(answers[0]);
    expect(await put(id, 'other\n')).toMatchObject({
      status: 404,
      body: { details: { stage: 'committed' } },
    });
    expect(await fileOf('once.txt')).toBe('once\n');
  });

  it('finalized with two contents at once gets exactly one of them', async () => {
    const id = await begun('either.txt');
    const [a, b] = await Promise.all([put(id, 'a\n'), put(id, 'b\n')]);
    expect(new Set([a.status, b.status])).toEqual(new Set([200, 404]));
    expect(await fileOf('either.txt')).toBe(a.status === 200 ? 'a\n' : 'b\n');
  });

  it('keeps its drafts when the gateway dies', async () => {
    const id = await begun('draft.txt');
    expect((await draft(id, 0, 'first\n')).body).toEqual({ offset: 6 });
    await stack.kill('gateway');
    const answer = await eventually('a gateway', () => draft(id, 0, 'first\n').catch(() => undefined));
    expect(answer).toMatchObject({ status: 409, body: { code: 'draft_offset', details: { offset: 6 } } });
    expect((await draft(id, 6, 'second\n')).body).toEqual({ offset: 13 });
    expect((await call('GET', `status/${id}`)).body['draft_bytes']).toBe(13);
    const { status } = await call('POST', 'finalize', json({ session_id: id, draft: true }));
    expect(status).toBe(200);
    expect(await fileOf('draft.txt')).toBe('first\nsecond\n');
  });

  it('without a draft has nothing to commit', async () => {
    const id = await begun('none.txt');
    const { status, body } = await call('POST', 'finalize', json({ session_id: id, draft: true }));
    expect([status, body['code']]).toEqual([400, 'validation_failed']);
  });

  it('is undone once, however often it is asked for', async () => {
    await put(await begun('undo.txt'), 'old\n');
    const id = await begun('undo.txt', 'overwrite');
    await put(id, 'new\n');
    expect((await call('POST', `${id}/undo`, json({}))).status).toBe(200);
    expect(await fileOf('undo.txt')).toBe('old\n');
    expect((await call('POST', `${id}/undo`, json({}))).status).toBe(200);
    expect(await fileOf('undo.txt')).toBe('old\n');
  });

  it('carries every operation of a plan from code', async () => {
    const plan = createWritePlan({ baseUrl: stack.baseUrl });
    const { results } = await plan.executeWritePlan({
      operations: [
        { type: 'create', target_file: 'plan.txt', content: 'one\n' },
        { type: 'append', target_file: 'plan.txt', content: 'two\n' },
        { type: 'create', target_file: 'plan.txt', content: 'three\n' },
        { type: 'create', target_file: 'never.txt', content: 'four\n' },
      ],
    });
    expect(results.map(({ status }) => status)).toEqual(['success', 'success', 'error']);
    expect(results[2]?.error?.message).toMatch(/^Operation 2 \(create plan\.txt\): .*exists/);
    expect(await fileOf('plan.txt')).toBe('one\ntwo\n');
    await begun('free.txt');
  });

  it('makes empty files from code, and keeps refusing blank content', async () => {
    const plan = createWritePlan({ baseUrl: stack.baseUrl });
    for (const path of ['empty.txt', 'empty-too.txt']) {
      const { results } = await plan.execute({ operation: 'create', path, content: '' });
      expect(results).toMatchObject([{ status: 'success', bytes: 0, lines: 0 }]);
      expect(await fileOf(path)).toBe('');
    }
    await plan.execute({ operation: 'overwrite', path: 'empty.txt', content: 'text\n' });
    await plan.execute({ operation: 'overwrite', path: 'empty.txt', content: '' });
    expect([await fileOf('empty.txt'), await fileOf('empty-too.txt')]).toEqual(['', '']);
    const session_id = await begun('blank.txt');
    for (const content of ['', ' \n']) {
      expect((await call('POST', 'finalize', json({ session_id, content }))).status).toBe(400);
    }
    const both = { session_id, content: 'x', empty: true };
    expect((await call('POST', 'finalize', json(both))).status).toBe(400);
    expect((await call('POST', 'finalize', json({ session_id, empty: true }))).status).toBe(200);
    expect(await fileOf('blank.txt')).toBe('');
  });

  it('with an Idempotency-Key is begun and committed once, however often it is asked for', async () => {
    const key = { ...JSON_TYPE, 'idempotency-key': randomUUID() };
    const body = JSON.stringify({ target_file: 'key.txt', operation: 'create' });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => call('POST', 'begin', { headers: key, body })),
    );
    expect(
      new Set(answers.map((answer) => `${answer.status} ${String(answer.body['session_id'])}`)).size,
    ).toBe(1);
    const id = String(answers[0]?.body['session_id']);
    expect((await put(id, 'x', { 'idempotency-key': 'k' })).status).toBe(200);
    expect((await put(id, 'x', { 'idempotency-key': 'k' })).status).toBe(200);
  });
});

describe('a write session in silence', () => {
  onStack({ SESSION_INACTIVITY_TIMEOUT_MS: String(SHORT_TIMEOUT_MS) });

  it('expires and leaves its slot free; one that is kept alive by drafts does not', async () => {
    const slow = await begun('slow.txt');
    const silent = await begun('silent.txt');
    expect((await begin('silent.txt')).body['error']).toBe(
      'Another write session is already active. Please wait for it to complete.',
    );
    let offset = 0;
    const ended = await eventually('the silent one to end', async () => {
      expect((await draft(slow, offset, 'x')).status).toBe(202);
      offset += 1;
      const answer = await call('GET', `status?session_id=${silent}`);
      return answer.status === 404 && answer;
    });
    expect(ended.body).toMatchObject({ code: 'session_not_found', details: { stage: 'expired' } });
    await begun('silent.txt');
    expect(await put(silent, 'late')).toMatchObject({ status: 404, body: { details: { stage: 'expired' } } });
    await expect(fileOf('silent.txt')).rejects.toThrow('ENOENT');
    // This session began before the silent one, and its drafts have kept it alive.
    expect((await call('POST', 'finalize', json({ session_id: slow, draft: true }))).status).toBe(200);
    expect(await fileOf('slow.txt')).toBe('x'.repeat(offset));
  });
});
