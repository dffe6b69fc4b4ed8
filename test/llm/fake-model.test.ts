import { once } from 'node:events';
import { fork } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { answer, longAnswer, readTimedText, answerWithCall } from '../support/fake-model/responses.ts';
import type { Rule } from '../support/fake-model/script.ts';
import { callOf, clientOf, deltasOf, request, textOf, useFakeModel } from './support/client-fixture.ts';

const provider = useFakeModel();
const ask = async (content: string) =>
  textOf(await deltasOf(clientOf(provider.fake), { ...request, messages: [{ role: 'user', content }] }));

describe('the fake model', () => {
  it('fails a request that nobody scripted', async () => {
    await expect(ask('anything')).rejects.toMatchObject({ code: 'model_bad_request' });
  });

  it('answers several conversations by rules, each in its own order', async () => {
    provider.fake.rules(
      { match: { user: 'A "quoted"' }, responses: [answer('a1'), answer('a2')] },
      { match: { user: 'B' }, responses: [answer('b')], repeat: true },
      { match: { tools: true }, responses: [answerWithCall('f', {})] },
    );
    expect(await ask('B')).toBe('b');
    expect(await ask('A "quoted"')).toBe('a1');
    expect(await ask('B')).toBe('b');
    expect(await ask('A "quoted"')).toBe('a2');
    await expect(ask('A "quoted"')).rejects.toMatchObject({ code: 'model_bad_request' });
  });

  it('holds a stream at a gate until the test lets it pass', async () => {
    provider.fake.script({ steps: [{ text: 'a' }, { gate: 'g' }, { text: 'b' }, { done: true }] });
    const call = callOf(clientOf(provider.fake));
    await call.begun;
    expect(call.deltas).toEqual([{ type: 'text', text: 'a' }]);
    expect(provider.fake.openResponses).toBe(1);
    expect(await provider.fake.openSockets()).toBeGreaterThan(0);
    provider.fake.release('g');
    await call.ended;
    expect(textOf(call.deltas)).toBe('ab');
  });

  it('streams at the asked rate, with the sending time in each chunk', async () => {
    provider.fake.script(longAnswer(50, 250));
    const chunks = readTimedText(await ask('long'));
    expect(chunks).toHaveLength(50);
    const took = (chunks.at(-1)?.sentAt ?? 0) - (chunks[0]?.sentAt ?? 0);
    expect(took).toBeGreaterThan(150);
    expect(Math.abs(Date.now() - (chunks.at(-1)?.sentAt ?? 0))).toBeLessThan(60_000);
  });

  it('runs as a process of its own, scripted over HTTP', async () => {
    const child = fork('test/support/fake-model/main.ts', { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    const post = (path: string, body: object) =>
      fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: JSON.stringify(body) });
    const rules: Rule[] = [{ responses: [{ steps: [{ gate: 'g' }, { text: 'hi' }, { done: true }] }] }];
    await post('/__script', { rules });
    const said = deltasOf(clientOf(provider.fake, { baseUrl: `http://127.0.0.1:${port}/v1` }));
    await post('/__release', { gate: 'g' });
    expect(textOf(await said)).toBe('hi');
    const seen = await (await fetch(`http://127.0.0.1:${port}/__requests`)).json();
    expect(seen).toMatchObject([{ body: { model: 'fake' }, ended: { how: 'played' } }]);
    child.disconnect();
    expect((await once(child, 'exit'))[0]).toBe(0);
  });
});
