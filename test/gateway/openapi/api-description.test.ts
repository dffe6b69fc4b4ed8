/** Checks that routes answer what is described; the worlds of the other gateway tests check every answer they see. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { eventExamples } from '../../docs/event-examples.ts';
import { turnEventSchema } from '../../../src/contracts/wire/turn-event.ts';
import { createCompatibleEncoder } from '../../../src/gateway/streams/turn-encoders.ts';
import { createApiDocument } from '../../../src/gateway/openapi/api-document.ts';
import { describedRoutes, mismatchOf } from '../support/api-conformance.ts';
import { undescribedIn } from '../support/undescribed.ts';
import { GatewayWorld } from '../support/gateway-world.ts';

interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly responses: object;
}

let world: GatewayWorld;

beforeEach(async () => {
  world = await GatewayWorld.open();
});

afterEach(() => world.close());

describe('the API description', () => {
  it('is OpenAPI 3.1 by an independent validator, and served without a key', async () => {
    const { status, body } = await world.get('/openapi.json');
    expect(status).toBe(200);
    expect(body['openapi']).toBe('3.1.0');
    expect(await new Validator().validate(body)).toMatchObject({ valid: true });
  });

  it('gives every operation a name of its own, a group and an answer to bad requests', async () => {
    const { body } = await world.get('/openapi.json');
    const paths = body['paths'] as Record<string, Record<string, Described>>;
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    const names = operations.map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const { operationId, tags, responses } of operations) {
      expect([operationId, tags.length, '4XX' in responses]).toEqual([expect.any(String), 1, true]);
    }
    const { schemas } = body['components'] as { schemas: Record<string, unknown> };
    expect(Object.keys(schemas).filter((name) => name.startsWith('__'))).toEqual([]);
    expect(JSON.stringify(paths['/api/turns']?.['post'])).toContain('maxPhaseCycles');
  });

  it('explains every field and parameter whose name does not say what it is', () => {
    const document = createApiDocument();
    expect(undescribedIn(document)).toEqual([]);
    const field = { schema: { properties: { mystery: { type: 'string' }, turnId: { type: 'string' } } } };
    expect(undescribedIn({ ...field, parameters: [{ in: 'query', name: 'riddle' }] })).toEqual([
      'mystery',
      'riddle',
    ]);
  });

  it('describes routes that exist', async () => {
    const unknown: string[] = [];
    for (const route of describedRoutes()) {
      const [method = '', template = ''] = route.split(' ');
      const answer = await fetch(world.url + template.replaceAll(/\{\w+\}/g, 'x'), { method });
      // Some answers are endless streams, so the body is read only where nothing exists.
      const text = answer.status === 404 ? await answer.text() : undefined;
      if (text === undefined) await answer.body?.cancel();
      if (text?.includes('"code":"not_found"')) unknown.push(route);
    }
    expect(unknown).toEqual([]);
  });

  it('covers every event in both forms', () => {
    const events = eventExamples.map(({ event }) => event);
    expect(new Set(events.map(({ type }) => type)).size).toBe(turnEventSchema.options.length);
    const encoder = createCompatibleEncoder('turn');
    for (const event of events) {
      const seen = {
        method: 'GET',
        path: '/api/turns/x/events',
        status: 200,
        contentType: 'text/event-stream',
      };
      expect(mismatchOf({ ...seen, body: event })).toBeUndefined();
      const data = /data: (.*)\n/.exec(encoder.encode({ epoch: 0, seq: 1 }, event))?.[1] ?? '';
      const compatible = {
        ...seen,
        method: 'POST',
        path: '/api/chat/messages',
        body: JSON.parse(data) as unknown,
      };
      expect(mismatchOf(compatible)).toBeUndefined();
    }
  });

  it('notices an answer with other, missing or additional fields', () => {
    const answer = { method: 'GET', path: '/health', status: 200, contentType: 'application/json' };
    expect(mismatchOf({ ...answer, body: { status: 'ok' } })).toBeUndefined();
    expect(mismatchOf({ ...answer, body: { status: 'ok', more: 1 } })).toContain('additional');
    expect(mismatchOf({ ...answer, body: {} })).toContain('status');
    expect(mismatchOf({ ...answer, path: '/nowhere', body: {} })).toContain('not described');
  });
});
