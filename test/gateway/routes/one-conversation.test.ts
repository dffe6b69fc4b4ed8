/** Covers one conversation over HTTP: its tree, its title, its end, and turns that go on from an earlier one. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { doneEvent, GatewayWorld, type HttpResponse } from '../support/gateway-world.ts';
import { startAnsweredTurn } from './support/answered-turn.ts';

let world: GatewayWorld;
beforeEach(async () => {
  world = await GatewayWorld.open();
});
afterEach(() => world.close());

const turn = (requestId: string, fields?: object) => startAnsweredTurn(world, requestId, fields);
const PATH = '/api/conversations/c?projectId=a';
const rename = (title: unknown, path = PATH): Promise<HttpResponse> =>
  world.request('PATCH', path, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title }),
  });

describe('a conversation', () => {
  it('is a tree of turns, oldest first, in pages', async () => {
    await turn('t1', { content: 'x'.repeat(300) });
    await turn('t2', { parentTurnId: 't1' });
    await turn('t3', { parent_turn_id: 't1' });
    const { body } = await world.get(`${PATH}&limit=2&offset=1`);
    expect(body).toMatchObject({
      projectId: 'a',
      conversationId: 'c',
      turns: [
        { turnId: 't2', parentTurnId: 't1', status: 'completed', content: 'Say t2' },
        { turnId: 't3', parentTurnId: 't1' },
      ],
      more: false,
    });
    const { body: first } = await world.get(`${PATH}&limit=1`);
    expect(first).toMatchObject({ turns: [{ parentTurnId: null, content: 'x'.repeat(200) }], more: true });
  });

  it('has the title that somebody gives it', async () => {
    await turn('t1');
    expect((await world.get(PATH)).body['title']).toBe('Say t1');
    expect((await rename('  Release  ')).body).toEqual({
      projectId: 'a',
      conversationId: 'c',
      title: 'Release',
    });
    expect((await world.get(PATH)).body['title']).toBe('Release');
    for (const title of ['', ' ', 'a\nb', 'x'.repeat(201), 7, undefined]) {
      expect((await rename(title)).status).toBe(400);
    }
    expect((await rename('')).body['error']).toBe(
      'Invalid request: title: expected 1 to 200 characters, received "".',
    );
  });

  it('is removed unless a turn runs in it', async () => {
    await turn('t1');
    await world.post('/api/turns', { projectId: 'a', conversationId: 'c', content: 'x', requestId: 't2' });
    const busy = await world.request('DELETE', PATH);
    expect([busy.status, busy.body['code'], busy.body['details']]).toEqual([
      409,
      'turn_in_progress',
      { turnId: 't2' },
    ]);
    world.turns.end('t2', doneEvent(''));
    expect((await world.request('DELETE', PATH)).status).toBe(204);
    expect(world.conversations.removed).toEqual(['c']);
  });

  it('shows the messages of one branch, by the turn that ends it', async () => {
    await turn('t1');
    await world.post('/api/turns', { projectId: 'b', content: 'x', requestId: 'foreign' });
    const messages = (query: string) => world.get(`/api/chat/messages?projectId=a&${query}`);
    expect((await messages('leaf=t1')).status).toBe(200);
    expect(world.messages.asked).toMatchObject({ projectId: 'a', conversationId: 'c', leaf: 't1' });
    for (const query of ['leaf=none', 'leaf=foreign', 'leaf=t1&conversationId=d']) {
      expect((await messages(query)).body['code']).toBe('turn_not_found');
    }
    expect((await messages('leaf=a/b')).status).toBe(400);
  });

  it('that is unknown, or of another project, is 404; an invalid id is 400', async () => {
    await turn('t1');
    for (const path of ['/api/conversations/c?projectId=b', '/api/conversations/d?projectId=a']) {
      const answers = [await world.get(path), await rename('x', path), await world.request('DELETE', path)];
      expect(answers.map(({ status, body }) => [status, body['code']])).toEqual(
        Array.from({ length: 3 }, () => [404, 'not_found']),
      );
    }
    expect((await world.get('/api/conversations/c')).status).toBe(400);
    expect((await world.get('/api/conversations/a%20b?projectId=a')).status).toBe(400);
  });
});

describe('parentTurnId', () => {
  it('names a turn of the same conversation, or none', async () => {
    await turn('t1');
    expect((await turn('t2', { parentTurnId: null })).status).toBe(202);
    expect(world.turns.byId.get('t2')?.request.parentTurnId).toBeNull();
    for (const fields of [{ parentTurnId: 'nobody' }, { parentTurnId: 't1', conversationId: 'other' }]) {
      const refused = await turn('t3', fields);
      expect([refused.status, refused.body['code']]).toEqual([404, 'turn_not_found']);
    }
    expect((await turn('t3', { parentTurnId: 'a/b' })).status).toBe(400);
  });

  it('is part of the request: the same id with another parent is another request', async () => {
    await turn('t1');
    await turn('t2', { parentTurnId: 't1' });
    expect((await turn('t2', { parentTurnId: 't1' })).status).toBe(202);
    expect((await turn('t2', { parentTurnId: null })).body['code']).toBe('idempotency_conflict');
    expect((await turn('t2')).body['code']).toBe('idempotency_conflict');
  });
});
