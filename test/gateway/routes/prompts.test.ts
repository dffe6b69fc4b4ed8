/** Covers prompts over HTTP: what the next turn of a conversation would send, and what a model call was sent. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GatewayWorld, type HttpResponse } from '../support/gateway-world.ts';
import { startAnsweredTurn } from './support/answered-turn.ts';

let world: GatewayWorld;
beforeEach(async () => {
  world = await GatewayWorld.open();
});
afterEach(() => world.close());

const turn = (requestId: string, fields?: object) => startAnsweredTurn(world, requestId, fields);

describe('the context of a conversation', () => {
  const CONTEXT = '/api/conversations/c/context?projectId=a';

  it('is the next prompt in pages, with the tokens of all of it', async () => {
    await turn('t1');
    await turn('t2');
    const { body } = await world.get(`${CONTEXT}&limit=3&offset=1`);
    expect(body).toEqual({
      projectId: 'a',
      conversationId: 'c',
      leaf: 't2',
      anchorTurnId: 't1',
      isWhole: true,
      tokens: 15,
      limit: 96_000,
      blocks: [
        { part: 'earlier', turnId: 't1', role: 'user', tokens: 2, content: 'Say t1', isCut: false },
        { part: 'earlier', turnId: 't1', role: 'assistant', tokens: 2, content: 'Said.', isCut: false },
        { part: 'earlier', turnId: 't2', role: 'user', tokens: 2, content: 'Say t2', isCut: false },
      ],
      total: 6,
      nextOffset: 4,
    });
    expect((await world.get(`${CONTEXT}&leaf=t1&offset=4`)).body).toMatchObject({ leaf: 't1', blocks: [] });
  });

  it('shows no secret, and only the beginning of a long message', async () => {
    const args = JSON.stringify({ headers: [{ name: 'X-Api-Key', value: 'hush-hush' }] });
    const call = { id: 'c00000001', type: 'function', function: { name: 'fetch', arguments: args } } as const;
    world.prompts.replies = [
      { role: 'assistant', content: 'I ask.', tool_calls: [call] },
      { role: 'tool', tool_call_id: call.id, content: `Bearer abcdef123456 ${'x'.repeat(300_000)}` },
    ];
    await turn('t1');
    const { text, body } = await world.get(CONTEXT);
    expect(text).not.toMatch(/hush-hush|abcdef123456/);
    const [, , asks, result] = body['blocks'] as { content: string; isCut: boolean }[];
    expect(asks?.content).toMatch(/^I ask\.\nfetch .*\[redacted\]/);
    expect(result?.content).toHaveLength(2_000);
    expect([asks?.isCut, result?.isCut]).toEqual([false, true]);
  });

  it('is 404 for something that does not exist, and says what is missing', async () => {
    await turn('t1');
    await turn('elsewhere', { conversationId: 'd' });
    const codes = [
      '/api/conversations/x/context?projectId=a',
      `${CONTEXT}&leaf=elsewhere`,
      `${CONTEXT}&leaf=no`,
    ];
    const answers = await Promise.all(codes.map((path) => world.get(path)));
    expect(answers.map(({ status, body }) => [status, body['code']])).toEqual([
      [404, 'not_found'],
      [404, 'turn_not_found'],
      [404, 'turn_not_found'],
    ]);
    const unknown = await world.get(`${CONTEXT}&model=nobody`);
    expect([unknown.status, unknown.body['details']]).toEqual([
      400,
      [{ field: 'model', expected: expect.stringMatching(/^one of /), received: '"nobody"' }],
    ]);
    for (const query of ['limit=0', 'limit=101', 'offset=-1', 'leaf=']) {
      expect((await world.get(`${CONTEXT}&${query}`)).status).toBe(400);
    }
  });
});

describe('what a model call was sent', () => {
  const sent = (path: string): Promise<HttpResponse> => world.get(`/api/turns/${path}`);

  it('is shown message by message, as much of each as was requested, without secrets', async () => {
    world.prompts.replies = [
      { role: 'tool', tool_call_id: 'c', content: `Bearer abcdef123456 ${'x'.repeat(40_000)}` },
    ];
    await turn('t1');
    const block = { part: 'own', turnId: 't1', isLeftOut: false, tokens: 2 };
    const { body, text } = await sent('t1/prompts/2?characters=100');
    expect(body).toEqual({
      turnId: 't1',
      step: 2,
      isWhole: true,
      tokens: 4,
      blocks: [
        { ...block, step: 1, role: 'user', content: 'Say t1', isCut: false },
        {
          ...block,
          step: 2,
          role: 'tool',
          content: expect.stringMatching(/^Bearer \[redacted\] x{82}$/),
          isCut: true,
        },
      ],
      total: 2,
      nextOffset: null,
    });
    expect(text).not.toContain('abcdef123456');
    const { body: one } = await sent('t1/prompts/2?offset=1&limit=1&characters=16000');
    expect(String((one['blocks'] as { content: string }[])[0]?.content)).toHaveLength(16_000);
    expect((await sent('t1/prompts/2?limit=1')).body).toMatchObject({ total: 2, nextOffset: 1 });
  });

  it('is refused for a call that does not exist, with what is missing', async () => {
    await turn('t1');
    const asked = [
      't1/prompts/3',
      'no/prompts/1',
      't1/prompts/0',
      't1/prompts/x',
      't1/prompts/1?characters=16001',
    ];
    const answers = await Promise.all(asked.map(sent));
    expect(answers.map(({ status, body }) => [status, body['code']])).toEqual([
      [404, 'not_found'],
      [404, 'turn_not_found'],
      [400, 'validation_failed'],
      [400, 'validation_failed'],
      [400, 'validation_failed'],
    ]);
    expect(answers[0]?.body['error']).toMatch(/model call 3/);
  });
});
