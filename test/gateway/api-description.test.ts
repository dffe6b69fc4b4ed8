/** What is described is what is answered; the worlds of the other gateway tests check every answer they see. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { turnEventSchema } from '../../src/contracts/turn-event.ts';
import { createCompatibleEncoder } from '../../src/gateway/streams/dialects/compatible.ts';
import { describedRoutes, misfitOf } from '../support/api-conformance.ts';
import { GatewayWorld, usage } from './gateway-world.ts';

let world: GatewayWorld;

beforeEach(async () => {
  world = await GatewayWorld.open();
});

afterEach(() => world.close());

describe('the API description', () => {
  it('is OpenAPI 3.1 by a validator of others, and served without a key', async () => {
    const { status, body } = await world.get('/openapi.json');
    expect(status).toBe(200);
    expect(body['openapi']).toBe('3.1.0');
    expect(await new Validator().validate(body)).toMatchObject({ valid: true });
  });

  it('describes routes that exist', async () => {
    const unknown: string[] = [];
    for (const route of describedRoutes()) {
      const [method = '', template = ''] = route.split(' ');
      const { status, text } = await world.request(method, template.replaceAll(/\{\w+\}/g, 'x'));
      if (status === 404 && text.includes('"code":"not_found"')) unknown.push(route);
    }
    expect(unknown).toEqual([]);
  });

  it('covers every event in both forms', () => {
    const events = [
      { type: 'phase', phase: 'tool', index: 1, cycle: 0 },
      { type: 'chunk', content: 'a' },
      { type: 'chunk', content: 'a', notice: 'duplicate' },
      {
        type: 'tool_calls',
        calls: [{ id: '1', type: 'function', function: { name: 'n', arguments: '{}' } }],
      },
      { type: 'tool_result', callId: '1', name: 'n', ok: true, durationMs: 1, bytes: 2 },
      {
        type: 'write_session',
        sessionId: 's',
        stage: 'committed',
        target: 't',
        bytes: 1,
        lines: 1,
        sha256: 'x',
      },
      { type: 'reset', fromSeq: 3 },
      { type: 'done', fullContent: 'a', status: 'completed', reason: 'answered', usage },
      { type: 'error', code: 'internal_error', message: 'm' },
    ].map((event) => turnEventSchema.parse(event));
    expect(new Set(events.map(({ type }) => type)).size).toBe(turnEventSchema.options.length);
    const encoder = createCompatibleEncoder('turn');
    for (const event of events) {
      const seen = {
        method: 'GET',
        path: '/api/turns/x/events',
        status: 200,
        contentType: 'text/event-stream',
      };
      expect(misfitOf({ ...seen, body: event })).toBeUndefined();
      const data = /data: (.*)\n/.exec(encoder.encode({ epoch: 0, seq: 1 }, event))?.[1] ?? '';
      const compatible = {
        ...seen,
        method: 'POST',
        path: '/api/chat/messages',
        body: JSON.parse(data) as unknown,
      };
      expect(misfitOf(compatible)).toBeUndefined();
    }
  });

  it('notices an answer that has more, less or other than described', () => {
    const answer = { method: 'GET', path: '/health', status: 200, contentType: 'application/json' };
    expect(misfitOf({ ...answer, body: { status: 'ok' } })).toBeUndefined();
    expect(misfitOf({ ...answer, body: { status: 'ok', more: 1 } })).toContain('additional');
    expect(misfitOf({ ...answer, body: {} })).toContain('status');
    expect(misfitOf({ ...answer, path: '/nowhere', body: {} })).toContain('not described');
  });
});
