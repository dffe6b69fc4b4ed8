/** Tests the whole product with two providers: one is down for good, and the other one takes over. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChatClient } from '../support/chat-client.ts';
import { type FakeModel, startFakeModel } from '../support/fake-model/fake-model.ts';
import { answer, refusal, answerWithCall } from '../support/fake-model/responses.ts';
import { violations } from '../support/recording-check.ts';
import { useStack } from '../support/use-stack.ts';

const folder = mkdtempSync(join(tmpdir(), 'orion-fallback-'));
const models = join(folder, 'models.json');
let second: FakeModel;
beforeAll(async () => {
  second = await startFakeModel();
  const apiKeyFile = join(folder, 'key');
  writeFileSync(apiKeyFile, 'sk-second-0123456789\n');
  const spare = { baseUrl: second.baseUrl, apiKeyFile, name: 'spare-9', contextWindow: 100_000 };
  const tiny = { ...spare, contextWindow: 9_192, fallback: 'spare' };
  writeFileSync(models, JSON.stringify({ fake: { fallback: 'tiny' }, tiny, spare }));
});
let chat: ChatClient;
let fake: FakeModel;
useStack({ ORION_MODELS_FILE: models, ORION_MODELS: 'tiny' }, (started) => {
  ({ chat, fake } = started);
});
afterAll(async () => {
  await second.close();
  rmSync(folder, { recursive: true });
});

const down = refusal(503, { message: 'down' });

it('the model whose window holds the prompt answers, which is reported, and only that model sees its key', async () => {
  fake.script(down, down, down);
  second.script(answer('From ', 'the spare one.'));
  const stream = await chat.chat({ content: 'anybody there?' });
  await stream.ended;
  const texts = stream.frames.flatMap(({ data }) => (data['type'] === 'chunk' ? [data['chunk']] : []));
  expect(texts).toContain('\n\n**System Notice**: The model fake is not available; spare answers.\n\n');
  expect(violations(stream.frames)).toEqual([]);
  expect(stream.frames.at(-1)?.data).toMatchObject({ done: true, fullContent: 'From the spare one.' });
  expect(fake.requests).toHaveLength(3);
  expect(second.requests.map(({ body, headers }) => [body.model, headers['authorization']])).toEqual([
    ['spare-9', 'Bearer sk-second-0123456789'],
  ]);
  expect(second.requests[0]?.body.messages).toEqual(fake.requests[0]?.body.messages);
  const turnId = stream.response.headers.get('x-turn-id') ?? '';
  const logs = await chat.json(`/api/trace/logs?projectId=test&requestId=${turnId}`);
  const told = JSON.stringify(logs);
  expect(told).toContain('spare instead of fake');
  expect(told).not.toContain('sk-second');
});

it('a turn stays with the model that took over, and reports the change once', async () => {
  const [before, beforeSecond] = [fake.requests.length, second.requests.length];
  fake.script(down, down, down);
  second.script(answerWithCall('read_file', { path: 'nowhere.md' }), answer('It is not there.'));
  const stream = await chat.chat({ content: 'look' });
  await stream.ended;
  const told = stream.frames.filter(({ data }) => data['notice'] === 'model_fallback');
  expect(told).toHaveLength(1);
  expect(violations(stream.frames)).toEqual([]);
  expect(stream.frames.at(-1)?.data).toMatchObject({ done: true, fullContent: 'It is not there.' });
  expect(fake.requests.length - before).toBe(3);
  expect(second.requests.length - beforeSecond).toBe(2);
});
