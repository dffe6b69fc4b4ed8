/**
 * A file that a person is asked about is written once and as it was shown, whatever is killed while the turn waits or
 * after the reply; tested on the processes of `npm start`.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { ChatClient } from '../support/chat-client.ts';
import { eventually } from '../support/eventually.ts';
import type { FakeModel } from '../support/fake-model/fake-model.ts';
import { answer, answerWithCall } from '../support/fake-model/responses.ts';
import type { OrionStack } from '../support/orion-stack.ts';
import { violations } from '../support/recording-check.ts';
import type { RecordedFrame } from '../support/sse-recorder.ts';
import { useStack } from '../support/use-stack.ts';

let fake: FakeModel;
let stack: OrionStack;
let chat: ChatClient;
useStack({ ORION_APPROVALS: 'writes' }, (started) => void ({ stack, chat, fake } = started));

const BEFORE = 'what was there\n';
const ADDED = 'what the model adds\n';

const file = (path: string): string => join(stack.dataDir, 'workspace', path);
const onDisk = (path: string): Promise<string> => readFile(file(path), 'utf8');

interface Request {
  readonly argsHash: string;
  readonly status: string;
  readonly diff?: string;
}

const requestOf = async (turnId: string): Promise<Request> =>
  (await chat.json(`/api/turns/${turnId}/inputs/1`))['input'] as Request;

const reply = (turnId: string, body: object): Promise<Response> =>
  chat.untilAnswered(`/api/turns/${turnId}/inputs/1`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

/**
 * Starts a turn that appends to a file of its own and waits for a person; `ended` resolves to all frames that its
 * reader got.
 */
const askingTurn = async (turnId: string) => {
  const path = `notes/${turnId}.md`;
  await mkdir(dirname(file(path)), { recursive: true });
  await writeFile(file(path), BEFORE);
  fake.rules({
    match: { includes: `add to ${path}` },
    responses: [
      answerWithCall('WritePlanTool_begin', { target_file: path, operation: 'append' }),
      answer(`${ADDED}DONE\n`),
      answer('It is done.'),
    ],
    repeat: true,
  });
  await chat.start({ content: `add to ${path}`, requestId: turnId });
  const ended = chat.follow(turnId);
  await eventually('the request', async () => (await requestOf(turnId))?.status === 'open');
  return { path, ended, ...(await requestOf(turnId)) };
};

const stagesOf = (frames: readonly RecordedFrame[]): unknown[] =>
  frames.flatMap(({ data }) => (data['type'] === 'write_session' ? [data['stage']] : []));

const sessionIn = (frames: readonly RecordedFrame[]): string =>
  String(frames.find(({ data }) => data['type'] === 'write_session')?.data['sessionId']);

const WRITTEN = ['begun', 'content_complete', 'committed'];

describe('a file that a person is asked about', () => {
  it('is shown as a diff, and written after the reply', async () => {
    const { path, ended, argsHash, diff } = await askingTurn('plain');
    expect(diff).toContain(` ${BEFORE}+${ADDED}`);
    expect(await onDisk(path)).toBe(BEFORE);
    expect((await reply('plain', { reply: 'allow', argsHash })).status).toBe(200);
    const frames = await ended;
    expect(violations(frames)).toEqual([]);
    expect(stagesOf(frames)).toEqual(WRITTEN);
    expect(await onDisk(path)).toBe(BEFORE + ADDED);
  });

  it('waits through a kill -9 of its worker', async () => {
    const { path, ended, argsHash } = await askingTurn('killed-waiting');
    await stack.kill('worker');
    await eventually('the reply', async () => {
      const { status } = await reply('killed-waiting', { reply: 'allow', argsHash });
      return status === 200;
    });
    const frames = await ended;
    expect(violations(frames)).toEqual([]);
    expect(stagesOf(frames)).toEqual(WRITTEN);
    expect(await onDisk(path)).toBe(BEFORE + ADDED);
  });

  it.each([
    [0, 10, 20, 50],
    [5, 15, 30],
  ])(
    'is appended once when its worker is killed so many ms after the reply was taken: %i, %i, %i …',
    async (...afterMs) => {
      const asking = await Promise.all(
        afterMs.map(async (ms) => ({
          ms,
          turnId: `killed-after-${ms}`,
          ...(await askingTurn(`killed-after-${ms}`)),
        })),
      );
      const last = Math.max(...afterMs);
      // One kill hits all of these turns, each at another point.
      await Promise.all(
        asking.map(async ({ ms, turnId, argsHash }) => {
          await delay(last - ms);
          expect((await reply(turnId, { reply: 'allow', argsHash })).status).toBe(200);
          await delay(ms);
        }),
      );
      await stack.kill('worker');
      for (const { turnId, path, ended, argsHash } of asking) {
        const frames = await ended;
        expect(violations(frames)).toEqual([]);
        expect(stagesOf(frames)).toEqual(WRITTEN);
        expect(await onDisk(path)).toBe(BEFORE + ADDED);
        expect((await reply(turnId, { reply: 'allow', argsHash })).status).toBe(200);
        expect((await reply(turnId, { reply: 'deny' })).status).toBe(409);
      }
    },
  );

  it('is not written where it was changed meanwhile, even if its worker is killed as well', async () => {
    const { path, ended, argsHash } = await askingTurn('changed');
    await writeFile(file(path), 'somebody else\n');
    await reply('changed', { reply: 'allow', argsHash });
    await stack.kill('worker');
    const frames = await ended;
    expect(await onDisk(path)).toBe('somebody else\n');
    const failed = frames.find(({ data }) => data['stage'] === 'failed');
    expect(failed?.data['error']).toBe('The file changed after it was approved.');
  });

  it('cannot be finalized from outside, and its target belongs to the turn that waits', async () => {
    const { path, ended } = await askingTurn('outside');
    const begin = await chat.request('/api/write-session/begin', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ target_file: path, operation: 'overwrite', projectId: 'test' }),
    });
    const conflict = (await begin.json()) as {
      code: string;
      details: { reason: string; session_id: string };
    };
    expect([begin.status, conflict.code]).toEqual([409, 'session_conflict']);
    expect(conflict.details.reason).toContain('waits for a reply to outside/1');
    const put = await chat.request(`/api/write-session/${conflict.details.session_id}/content`, {
      method: 'PUT',
      body: 'from outside',
    });
    expect([put.status, await put.json()]).toMatchObject([
      409,
      { code: 'approval_required', details: { inputId: 'outside/1' } },
    ]);
    expect((await reply('outside', { reply: 'deny', note: 'not now' })).status).toBe(200);
    const frames = await ended;
    expect(stagesOf(frames)).toEqual(['begun', 'content_complete', 'failed']);
    expect(await onDisk(path)).toBe(BEFORE);
    await eventually('the end of the session', async () => {
      const { code } = await chat.json(`/api/write-session/status/${sessionIn(frames)}`);
      return code === 'session_not_found';
    });
    expect(JSON.stringify(fake.requests.at(-1))).toContain('The user says: not now');
  });
});
