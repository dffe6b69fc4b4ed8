/**
 * Covers lists of conversations and turns, the model of a turn, who cancelled it, and what the gateway says of itself.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findKey, parseApiKeys } from '../../../src/access/api-keys.ts';
import { newKey } from '../../../src/access/new-key.ts';
import { conversationTitleOf } from '../../../src/gateway/responses/conversation-title.ts';
import { doneEvent, GatewayWorld } from '../support/gateway-world.ts';

let world: GatewayWorld;
beforeEach(async () => {
  world = await GatewayWorld.open();
});
afterEach(() => world.close());

const drawn = { ada: newKey('ada', ['a', 'b']), root: newKey('root', ['*']) };
const withKeys = async (): Promise<void> => {
  await world.close();
  const parsed = parseApiKeys(JSON.stringify([drawn.ada.entry, drawn.root.entry]));
  const keys = parsed.kind === 'keys' ? parsed.keys : [];
  world = await GatewayWorld.open({}, { keys: { find: (presented) => findKey(keys, presented) } });
};
const by = (who: keyof typeof drawn) => ({ authorization: `Bearer ${drawn[who].key}` });

const start = (requestId: string, metadata: object = {}) =>
  world.post('/api/turns', {
    projectId: 'a',
    content: 'Look  at\nthis',
    conversationId: requestId,
    requestId,
    metadata,
  });

describe('lists', () => {
  it.each(['conversations', 'turns'])(
    '%s have titles and times, and say whether there is more',
    async (what) => {
      for (const id of ['r1', 'r2', 'r3', 'r4']) await start(id);
      const { body } = await world.get(`/api/${what}?project_id=a&limit=2&offset=1`);
      const title = 'Look at this';
      const startedAt = '2026-01-02T03:04:05.000Z';
      expect(body).toMatchObject({
        [what]: [
          { conversationId: 'r3', title, startedAt },
          { conversationId: 'r2', title, startedAt },
        ],
        more: true,
      });
    },
  );

  it.each(['', 'projectId=a&limit=101', 'projectId=a&offset=x', 'projectId=a/b'])(
    'refuse %j',
    async (query) => {
      for (const what of ['conversations', 'turns']) {
        expect((await world.get(`/api/${what}?${query}`)).status).toBe(400);
      }
    },
  );

  it('cut titles between words', () => {
    expect(conversationTitleOf(' a\n b\t c ')).toBe('a b c');
    expect(conversationTitleOf('word '.repeat(100))).toBe(`${'word '.repeat(12).trim()}…`);
    expect(conversationTitleOf('x'.repeat(100))).toBe(`${'x'.repeat(59)}…`);
    expect(conversationTitleOf('🙂'.repeat(100)).isWellFormed()).toBe(true);
  });
});

describe('metadata.model', () => {
  it('is one of the offered models; a refusal names them', async () => {
    expect((await start('r1', { model: 'large' })).status).toBe(202);
    expect(world.turns.byId.get('r1')?.request.model).toBe('large');
    const refused = await start('r2', { model: 'huge' });
    expect([refused.status, refused.body['details']]).toEqual([
      400,
      [{ field: 'metadata.model', expected: 'one of small, large', received: '"huge"' }],
    ]);
  });

  it('is part of the request: the same id with another model is another request', async () => {
    await start('r1', { model: 'large' });
    expect((await start('r1', { model: 'small' })).body['code']).toBe('idempotency_conflict');
    expect((await start('r1', { model: 'large' })).status).toBe(202);
  });
});

describe('who cancelled a turn', () => {
  const cancelled = { ...doneEvent('so far'), status: 'cancelled', reason: 'cancelled' } as const;

  it('is local without keys, and nobody for a turn that was answered first', async () => {
    await start('r1');
    await world.post('/api/turns/r1/cancel', {});
    expect((await world.get('/api/turns/r1')).body['cancelledBy']).toBeNull();
    world.turns.end('r1', cancelled);
    expect((await world.get('/api/turns/r1')).body['cancelledBy']).toBe('local');
    await start('r2');
    await world.post('/api/turns/r2/cancel', {});
    world.turns.end('r2', doneEvent('all of it'));
    expect((await world.get('/api/turns/r2')).body['cancelledBy']).toBeNull();
  });

  it('is the name of the key', async () => {
    await withKeys();
    await world.post('/api/turns', { projectId: 'a', content: 'x', requestId: 'r1' }, by('root'));
    await world.post('/api/turns/r1/cancel', {}, by('ada'));
    world.turns.end('r1', cancelled);
    expect((await world.get('/api/turns/r1', by('root'))).body['cancelledBy']).toBe('ada');
  });
});

describe('GET /api/info', () => {
  it('says everything when no keys are required', async () => {
    expect((await world.get('/api/info')).body).toEqual({
      version: '1.2.3',
      model: 'small',
      models: ['small', 'large'],
      modelFacts: [{ name: 'small', contextWindow: 32_768, vision: false, fallback: 'large' }],
      temporalUi: 'http://127.0.0.1:8233',
      workspace: '/home/ada/project',
      settings: [{ name: 'ORION_PORT', value: '5000', isDefault: true }],
    });
  });

  it('keeps paths and settings from keys that do not open every project', async () => {
    await withKeys();
    expect((await world.get('/api/info')).status).toBe(401);
    const { body, text } = await world.get('/api/info', by('ada'));
    expect(body).toMatchObject({ model: 'small', workspace: null, settings: null });
    expect(text).not.toContain('/home/ada');
    expect((await world.get('/api/info', by('root'))).body['workspace']).toBe('/home/ada/project');
  });
});
