import { afterAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChatClient } from '../../support/chat-client.ts';
import type { FakeModel } from '../../support/fake-model/fake-model.ts';
import { answer, lastingAnswer, refusal, answerWithCall } from '../../support/fake-model/responses.ts';
import { isTerminalFrame, recordedText, violations } from '../../support/recording-check.ts';
import { useStack } from '../../support/use-stack.ts';
import { withoutSurroundings } from '../../../src/contracts/model/prompt-marks.ts';
import { readHistory } from './turn-history.ts';

const API_KEY = 'sk-test-0123456789abcdef';

/** A stack and a provider for whole turns; both are available once a test runs. */
export interface TurnsInUse {
  readonly chat: ChatClient;
  readonly fake: FakeModel;
  /** The folder in which the tools of the turns work. */
  readonly workspace: string;
}

/** Gives the tests of a file the processes that `npm start` runs, and a scripted provider. */
export const useTurns = (env: Readonly<Record<string, string>>): TurnsInUse => {
  const turns: { -readonly [name in keyof TurnsInUse]?: TurnsInUse[name] } = {};
  const folder = mkdtempSync(join(tmpdir(), 'orion-turns-'));
  const projects = { warm: { temperature: { plan: 1.25, act: 0 } }, half: { temperature: { act: 2 } } };
  writeFileSync(join(folder, 'projects.json'), JSON.stringify(projects));
  useStack(
    {
      OPENAI_API_KEY: API_KEY,
      // A busy machine stops a provider for a second now and then; only a real stall may end an attempt.
      MODEL_IDLE_TIMEOUT_MS: '2500',
      ORION_PROJECTS_FILE: join(folder, 'projects.json'),
      ...env,
    },
    ({ chat, fake, stack }) =>
      void Object.assign(turns, { chat, fake, workspace: join(stack.dataDir, 'workspace') }),
  );
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return turns as TurnsInUse;
};

/** Tests over HTTP what is true of every turn. `hasLane` says that events arrive sooner than by signals and queries. */
export const turnSuite = (turns: TurnsInUse, { hasLane }: { readonly hasLane: boolean }): void => {
  const turnIdOf = (recorder: { response: Response }): string =>
    recorder.response.headers.get('x-turn-id') ?? '';

  describe('a turn', () => {
    it('shows the phases 0 to 4 of a question that needs two tools, and one done', async () => {
      turns.fake.script(
        answerWithCall('FileSystemTool_list_files', { path: '.' }, { text: 'I will look. ' }),
        answerWithCall('FileSystemTool_write_to_file', { path: 'a.txt', content: 'hello' }),
        answer('All ', 'done.'),
      );
      const stream = await turns.chat.chat({ content: 'two tools' });
      await stream.ended;
      const phases = stream.frames.filter(({ data }) => data['type'] === 'phase').map(({ data }) => data);
      expect(phases.map((data) => [data['phase'], data['phaseIndex'], data['cycleIndex']])).toEqual([
        ['action_phase', 0, 0],
        ['tool_phase', 1, 0],
        ['action_phase', 2, 1],
        ['tool_phase', 3, 1],
        ['action_phase', 4, 2],
      ]);
      expect(violations(stream.frames)).toEqual([]);
      expect(stream.frames.at(-1)?.data).toMatchObject({
        done: true,
        fullContent: 'I will look. \n\nAll done.',
        reason: 'answered',
      });
    });

    it('is timed on its way to a worker by the lane that it opens', async () => {
      turns.fake.script(answer('Timed.'));
      await (
        await turns.chat.chat({ content: 'time me' })
      ).ended;
      const metrics = await (await turns.chat.request('/metrics')).text();
      const timed = Number(/^orion_turn_start_seconds_count (\d+)$/m.exec(metrics)?.[1]);
      expect(timed > 0).toBe(hasLane);
    });

    it('resumes from every id after its end, with the same frames', async () => {
      turns.fake.script(answerWithCall('FileSystemTool_list_files', { path: '.' }), answer('a', 'b', 'c'));
      const stream = await turns.chat.chat({ content: 'resume' });
      await stream.ended;
      const all = await turns.chat.events(turnIdOf(stream));
      await all.ended;
      expect(all.frames.map(({ id }) => id)).toEqual(stream.frames.map(({ id }) => id));
      for (const [i, { id }] of all.frames.entries()) {
        const rest = await turns.chat.events(turnIdOf(stream), id);
        await rest.ended;
        expect(rest.frames.map(({ data }) => data)).toEqual(all.frames.slice(i + 1).map(({ data }) => data));
        if (i === all.frames.length - 1) expect(rest.response.status).toBe(204);
      }
    });

    it('remembers the conversation: oldest first, each message once', async () => {
      const conversationId = randomUUID();
      for (const [question, reply] of [
        ['one?', 'One.'],
        ['two?', 'Two.'],
        ['three?', 'Three.'],
      ] as const) {
        turns.fake.script(answer(reply));
        const stream = await turns.chat.chat({ content: question, conversationId });
        await stream.ended;
        expect(stream.frames.at(-1)?.data).toMatchObject({ done: true, fullContent: reply });
      }
      const messages = turns.fake.requests.at(-1)?.body.messages ?? [];
      expect(messages[0]?.role).toBe('system');
      expect(messages.slice(1).map(({ content }) => withoutSurroundings(String(content)))).toEqual([
        'one?',
        'One.',
        'two?',
        'Two.',
        'three?',
      ]);
    });

    it('remembers what its tools returned: the next prompt begins with the bytes of the last', async () => {
      const conversationId = randomUUID();
      turns.fake.script(
        answerWithCall('FileSystemTool_list_files', { path: '.' }, { text: 'I look.' }),
        answer('Seen.'),
      );
      await (
        await turns.chat.chat({ content: 'which files?', conversationId })
      ).ended;
      const { messages: last = [], tools } = turns.fake.requests.at(-1)?.body ?? {};
      turns.fake.script(answer('The same.'));
      await (
        await turns.chat.chat({ content: 'and now?', conversationId })
      ).ended;
      const next = turns.fake.requests.at(-1)?.body;
      expect(last.at(-1)).toMatchObject({ role: 'tool' });
      expect(JSON.stringify(next?.messages?.slice(0, last.length))).toBe(JSON.stringify(last));
      expect(next?.messages?.slice(last.length)).toMatchObject([
        { role: 'assistant', content: expect.stringContaining('Seen.') },
        { role: 'user' },
      ]);
      expect(JSON.stringify(next?.tools)).toBe(JSON.stringify(tools));
    });

    it('stores the reply before it announces that the turn is done', async () => {
      turns.fake.script(answer('stored'));
      const conversationId = randomUUID();
      const stream = await turns.chat.chat({ content: 'store?', conversationId });
      await stream.next(isTerminalFrame);
      const { messages, total } = await turns.chat.json(
        `/api/chat/messages?project_id=test&conversation_id=${conversationId}`,
      );
      expect(total).toBe(2);
      expect(messages).toMatchObject([
        { sender: 'orion', content: 'stored' },
        { sender: 'user', content: 'store?' },
      ]);
    });

    it('is started once by fifty equal requests at once', async () => {
      turns.fake.script(answer('only', ' once'));
      const body = { content: 'same', requestId: randomUUID(), conversationId: randomUUID() };
      const streams = await Promise.all(Array.from({ length: 50 }, () => turns.chat.chat(body)));
      await Promise.all(streams.map(({ ended }) => ended));
      for (const { frames } of streams) {
        expect(frames).toMatchObject(streams[0]?.frames.map(({ id, data }) => ({ id, data })) ?? []);
      }
      expect(turns.fake.requests).toHaveLength(1);
      const other = await turns.chat.post('/api/chat/messages', { ...body, content: 'another' });
      expect(other.status).toBe(409);
      expect(await other.json()).toMatchObject({ code: 'idempotency_conflict' });
    });

    it('keeps a second turn out of a busy conversation', async () => {
      turns.fake.rules(
        {
          match: { user: 'the first one' },
          responses: [{ steps: [{ text: 'wait' }, { gate: 'go' }, { finish: 'stop' }, { done: true }] }],
          // A slow machine may take the silence of the provider for a stall.
          repeat: true,
        },
        { responses: [answer('second')] },
      );
      const conversationId = randomUUID();
      const first = await turns.chat.chat({ content: 'the first one', conversationId });
      const second = await turns.chat.post('/api/chat/messages', { content: 'second', conversationId });
      expect(second.status).toBe(409);
      expect(await second.json()).toMatchObject({
        code: 'turn_in_progress',
        details: { turnId: turnIdOf(first) },
      });
      turns.fake.release('go');
      await first.ended;
      const third = await turns.chat.chat({ content: 'third', conversationId });
      await third.ended;
      expect(recordedText(third.frames)).toBe('second');
    });

    it('stops on cancel with what was said, and closes the socket to the provider', async () => {
      // The answer ends only when its reader is told to leave it.
      turns.fake.script(lastingAnswer());
      const stream = await turns.chat.chat({ content: 'long' });
      await stream.next(({ data }) => data['type'] === 'chunk');
      const request = await turns.fake.nextRequest();
      const cancelled = await turns.chat.untilAnswered(`/api/turns/${turnIdOf(stream)}/cancel`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
      });
      expect(cancelled.status).toBe(202);
      expect(await request.closed).toBe('left');
      await stream.ended;
      expect(stream.frames.at(-1)?.data).toMatchObject({ done: true, status: 'cancelled' });
      expect(violations(stream.frames)).toEqual([]);
    });
  });

  describe('the history of a turn', () => {
    it('shows its phases by name and holds no system prompt, no earlier message and no key', async () => {
      const conversationId = randomUUID();
      turns.fake.script(
        answer('An earlier reply.'),
        answerWithCall('FileSystemTool_list_files', { path: '.' }),
        answer('The later reply.'),
      );
      await (
        await turns.chat.chat({ content: 'An earlier question', conversationId })
      ).ended;
      const stream = await turns.chat.chat({ content: 'The later question', conversationId });
      await stream.ended;
      const prompt = String(turns.fake.requests.at(-1)?.body.messages?.[0]?.content);
      expect(prompt.length).toBeGreaterThan(100);
      const { text, summaries } = await readHistory(turnIdOf(stream));
      expect(summaries).toEqual([
        'two_stage · act · test/' + conversationId,
        'action 0 · fake',
        'tool 1 · FileSystemTool.list_files .',
        'action 2 · fake',
        'close turn · completed (answered)',
      ]);
      expect(text.includes('The later question')).toBe(true);
      for (const secret of [prompt.slice(0, 60), 'An earlier question', 'An earlier reply.', API_KEY]) {
        expect({ secret, found: text.includes(secret) }).toEqual({ secret, found: false });
      }
    });
  });

  describe('a model call that fails', () => {
    it('for good ends the turn, and the conversation goes on', () =>
      failsFor(turns, 'model_auth', 1, (fake) => fake.script(refusal(401, { message: 'bad key' }))));

    it.each([
      ['a reset after some bytes', { ...answer('half of the ans', 'wer'), resetAfterBytes: 200 }],
      ['a 503', refusal(503, { message: 'busy' })],
      ['a 429 with Retry-After', refusal(429, { message: 'slow down' }, { 'retry-after': '1' })],
    ])('%s once is repeated, and readers see the dead text withdrawn', async (_name, failure) => {
      turns.fake.script(failure, answer('the ', 'whole answer'));
      const stream = await turns.chat.chat({ content: 'retry' });
      await stream.ended;
      expect(stream.frames.at(-1)?.data).toMatchObject({ done: true, fullContent: 'the whole answer' });
      expect(violations(stream.frames)).toEqual([]);
      expect(turns.fake.requests).toHaveLength(2);
    });
  });
};

/** Plays a turn whose provider fails for `requests` requests with this code, and the next turn of its conversation. */
export const failsFor = async (
  { chat, fake }: TurnsInUse,
  code: string,
  requests: number,
  script: (fake: FakeModel) => void,
): Promise<void> => {
  script(fake);
  const conversationId = randomUUID();
  const stream = await chat.chat({ content: 'fail', conversationId });
  await stream.ended;
  expect(stream.frames.at(-1)?.data).toMatchObject({ type: 'error', code });
  expect(fake.requests).toHaveLength(requests);
  expect(violations(stream.frames)).toEqual([]);
  fake.clear();
  fake.script(answer('again'));
  const next = await chat.chat({ content: 'next', conversationId });
  await next.ended;
  expect(next.frames.at(-1)?.data).toMatchObject({ done: true, fullContent: 'again' });
};
