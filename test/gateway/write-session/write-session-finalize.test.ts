/** Covers how the content of a write session reaches a gateway, and the answers to it. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { finalizeResponseSchema } from '../../../src/contracts/http/write-session-api.ts';
import { WorkersMissingError } from '../../../src/temporal/temporal-unavailable.ts';
import {
  sha256,
  validBegin,
  NOT_FOUND,
  nonTextError,
  expectError,
} from '../support/write-session-answers.ts';
import { WriteSessionWorld } from '../support/write-session-world.ts';

let world: WriteSessionWorld;
beforeEach(async () => {
  world = await WriteSessionWorld.open();
});
afterEach(() => world.close());

describe('finalize', () => {
  it.each([
    ['as JSON', (id: string) => world.finalize({ session_id: id, content: '# Big\r\n🙂\n' })],
    [
      'as JSON with the session behind the content',
      (id: string) => world.finalize({ content: '# Big\r\n🙂\n', session_id: id }),
    ],
    ['raw', (id: string) => world.put(id, '# Big\r\n🙂\n')],
    [
      'raw as bytes',
      (id: string) => world.put(id, '# Big\r\n🙂\n', { 'content-type': 'application/octet-stream' }),
    ],
    [
      'raw in UTF-8 by name',
      (id: string) => world.put(id, '# Big\r\n🙂\n', { 'content-type': 'text/plain; charset="UTF-8"' }),
    ],
    ['raw after asking', (id: string) => world.put(id, '# Big\r\n🙂\n', { expect: '100-continue' })],
  ])('%s commits byte by byte', async (_, send) => {
    const { sessionId } = world.sessions.add();
    const { status, body } = await send(sessionId);
    expect(status).toBe(200);
    expect(finalizeResponseSchema.parse(body)).toEqual(body);
    expect(body).toEqual({
      intent: 'a long text',
      results: [
        {
          operation_index: 0,
          type: 'create',
          target_file: 'docs/big.md',
          status: 'success',
          bytes: 12,
          lines: 2,
          sha256: sha256('# Big\r\n🙂\n'),
          error: null,
        },
      ],
    });
    expect(world.committed()).toBe('# Big\r\n🙂\n');
  });

  it.each([
    ['a byte order mark, NUL and no last line break', '\ufeffa\0b'],
    ['what JSON escapes', '"\\\b\f\n\r\t/\u001f\u2028'],
  ])('keeps %s, in both forms', async (_, text) => {
    await world.finalize({ session_id: world.sessions.add().sessionId, content: text });
    expect(world.committed()).toBe(text);
    await world.put(world.sessions.add().sessionId, text);
    expect(world.committed()).toBe(text);
  });

  it('sends no content when it is of the draft', async () => {
    const { sessionId } = world.sessions.add();
    expect((await world.finalize({ session_id: sessionId, draft: true })).status).toBe(200);
    expect(world.sessions.finalized).toMatchObject([
      { sessionId, request: {}, updateId: expect.stringContaining('/draft') },
    ]);
  });

  const missing = 'Validation failed: content: expected text, or "draft": true instead, received nothing';
  it.each([
    ['an empty body', '', 'Validation failed: body: expected a JSON object, received nothing'],
    [
      'no JSON',
      '{"session_id":',
      'Validation failed: body: expected a JSON object, received text that is not JSON',
    ],
    ['a list', '[]', 'Validation failed: body: expected an object, received an array'],
    ['no session', '{"content":"x"}', 'Validation failed: session_id: expected a string, received nothing'],
    [
      'a session that is no text',
      '{"session_id":7,"content":"x"}',
      'Validation failed: session_id: expected a string, received 7',
    ],
    ['neither content nor draft', '{"session_id":"ID"}', missing],
    ['no content and no draft', '{"session_id":"ID","draft":false}', missing],
    [
      'content and draft',
      '{"session_id":"ID","content":"x","draft":true}',
      'Validation failed: draft: expected nothing beside content, received true',
    ],
    [
      'a draft that is no boolean',
      '{"session_id":"ID","draft":"yes"}',
      'Validation failed: draft: expected true or false, received "yes"',
    ],
    [
      'content that is no text',
      '{"session_id":"ID","content":["x"]}',
      'Validation failed: content: expected a string, received an array',
    ],
    [
      'content that is null',
      '{"session_id":"ID","content":null}',
      'Validation failed: content: expected a string, received null',
    ],
    ['empty content', '{"session_id":"ID","content":""}', 'Validation failed: content cannot be empty'],
    [
      'blank content',
      '{"session_id":"ID","content":" \\n\\t"}',
      'Validation failed: content cannot be empty',
    ],
    ['a lone surrogate', '{"session_id":"ID","content":"a\\ud800"}', undefined],
    [
      'a body that ends in the content',
      '{"session_id":"ID","content":"a',
      'Validation failed: body: expected a JSON object, received text that ends within the content',
    ],
  ])('as JSON with %s is refused and commits nothing', async (_, body, error) => {
    const { sessionId } = world.sessions.add();
    expectError(await world.finalize(body.replace('ID', sessionId)), 400, 'validation_failed', error);
    expect(world.sessions.finalized).toEqual([]);
  });

  it('as JSON without any body is refused', async () => {
    const answer = await world.gateway.request('POST', '/api/write-session/finalize');
    expectError(
      answer,
      400,
      'validation_failed',
      'Validation failed: body: expected a JSON object, received nothing',
    );
  });

  it.each([
    ['nothing', '', 'content cannot be empty'],
    ['blanks', ' \n\n', 'content cannot be empty'],
    ['bytes that are no UTF-8', Buffer.from([0x61, 0xff, 0x62]), nonTextError('between byte 0 and byte 3')],
    [
      'an encoded surrogate',
      Buffer.from([0x61, 0xed, 0xa0, 0x80]),
      nonTextError('between byte 0 and byte 4'),
    ],
    ['a cut character', Buffer.from([0x61, 0xe2, 0x82]), nonTextError('at its end')],
  ])('raw with %s is refused and commits nothing', async (_, body, problem) => {
    const answer = await world.put(world.sessions.add().sessionId, body);
    expectError(answer, 400, 'validation_failed', `Validation failed: ${problem}`);
    expect(world.sessions.finalized).toEqual([]);
  });

  it.each([
    ['POST', '/api/write-session/finalize', { 'content-type': 'text/plain' }],
    ['POST', '/api/write-session/finalize', { 'content-type': 'application/json; charset=latin1' }],
    [
      'POST',
      '/api/write-session/finalize',
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    ],
    ['POST', '/api/write-session/begin', { 'content-type': 'text/plain' }],
    ['PUT', '/api/write-session/ID/content', { 'content-type': 'application/json' }],
    ['PUT', '/api/write-session/ID/content', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['PUT', '/api/write-session/ID/content', { 'content-type': 'text/plain; charset=utf-16' }],
    ['PUT', '/api/write-session/ID/content', { 'content-type': 'text/plain', 'content-encoding': 'gzip' }],
    ['POST', '/api/write-session/ID/draft', { 'content-type': 'application/json' }],
  ])('%s %s with %j is unsupported', async (method, path, headers) => {
    const { sessionId } = world.sessions.add();
    const request = { headers, body: '{"content":"x"}' };
    expectError(
      await world.gateway.request(method, path.replace('ID', sessionId), request),
      415,
      'unsupported_media_type',
    );
  });

  it('says which type it expects, and which it received', async () => {
    const path = `/api/write-session/${world.sessions.add().sessionId}/content`;
    const headers = { 'content-type': 'text/plain', 'content-encoding': 'gzip' };
    const answer = await world.gateway.request('PUT', path, { headers, body: 'x' });
    expect(answer.body['details']).toEqual([
      {
        field: 'content-type',
        expected: 'text/plain or application/octet-stream, in UTF-8 and not compressed',
        received: '"text/plain encoded as gzip"',
      },
    ]);
  });

  it('takes raw bytes without a type, as curl -T sends them', async () => {
    const path = `/api/write-session/${world.sessions.add().sessionId}/content`;
    expect((await world.gateway.request('PUT', path, { body: 'x' })).status).toBe(200);
  });

  it.each([
    ['unknown', randomUUID()],
    ['impossible', 'unknown-session-id'],
  ])('of an %s session is 404', async (_, id) => {
    for (const answer of [await world.finalize({ session_id: id, content: 'x' }), await world.put(id, 'x')]) {
      expectError(answer, 404, 'session_not_found', NOT_FOUND);
      expect(answer.body['details']).toEqual({ reason: 'There is no such write session.' });
    }
  });

  it('is 404 for an ended session, with its stage', async () => {
    const { sessionId } = world.sessions.add();
    world.sessions.end(sessionId, 'expired');
    const answer = await world.put(sessionId, 'x');
    expectError(answer, 404, 'session_not_found', NOT_FOUND);
    expect(answer.body['details']).toEqual({ stage: 'expired' });
  });

  it('says why it cannot write, and may be tried again', async () => {
    const { sessionId } = world.sessions.add();
    world.sessions.outcome = { kind: 'failed', code: 'write_failed', reason: 'file exists: docs/big.md' };
    const answer = await world.put(sessionId, 'x');
    expectError(answer, 500, 'write_failed', 'An internal error occurred. Please try again.');
    expect(answer.body['details']).toEqual({ reason: 'file exists: docs/big.md' });
    world.sessions.outcome = { kind: 'failed', code: 'validation_failed', reason: 'there is no draft' };
    const draft = await world.finalize({ session_id: sessionId, draft: true });
    expectError(draft, 400, 'validation_failed', 'Validation failed: there is no draft');
    expect((await world.put(sessionId, 'x')).status).toBe(200);
  });

  it('is one update for the same request with the same content, and another one for other content', async () => {
    const { sessionId } = world.sessions.add();
    const ids = { 'x-request-id': 'r1' };
    await world.put(sessionId, 'a', ids);
    await world.put(sessionId, 'a', { 'idempotency-key': 'r1' });
    await world.put(sessionId, 'b', ids);
    await world.put(sessionId, 'a');
    const [first, second, third, fourth] = world.sessions.finalized.map(({ updateId }) => updateId);
    expect(second).toBe(first);
    expect(new Set([first, third, fourth]).size).toBe(3);
  });

  it('while no worker answers is 503 too, and says what is missing', async () => {
    const { sessionId } = world.sessions.add();
    world.sessions.failure = new WorkersMissingError(new Error('4 DEADLINE_EXCEEDED'));
    const answer = await world.put(sessionId, 'a long text');
    expectError(answer, 503, 'temporal_unavailable');
    expect(JSON.parse(answer.text)).toMatchObject({
      error: expect.stringContaining('No worker answers'),
      details: { missing: 'worker' },
    });
  });

  it('while Temporal cannot be reached is 503, and keeps the content for the repeat', async () => {
    const { sessionId } = world.sessions.add();
    world.sessions.failure = Object.assign(new Error('14 UNAVAILABLE'), {
      code: 14,
      details: '',
      metadata: {},
    });
    const answer = await world.put(sessionId, 'a long text');
    expectError(answer, 503, 'temporal_unavailable');
    expect(answer.headers['retry-after']).toBe('1');
    world.sessions.failure = undefined;
    expect(world.committed()).toBe('a long text');
    expect((await world.put(sessionId, 'a long text')).status).toBe(200);
  });

  it('onto a full disk says so', async () => {
    await world.close();
    world = await WriteSessionWorld.open(100, {
      contents: (store) => ({
        ...store,
        putAdmitted: () =>
          Promise.reject(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' })),
      }),
    });
    const answer = await world.put(world.sessions.add().sessionId, 'x');
    expectError(answer, 500, 'write_failed', 'An internal error occurred. Please try again.');
    expect(answer.body['details']).toEqual({ reason: 'no space left' });
  });

  it('logs each transition with the request', async () => {
    const { body } = await world.begin(validBegin, { 'x-request-id': 'r1' });
    await world.put(String(body['session_id']), 'x', { 'x-request-id': 'r2' });
    const lines = world.gateway.logLines.filter(({ sessionId }) => sessionId === body['session_id']);
    expect(lines.map(({ msg, requestId }) => [msg, requestId])).toEqual([
      ['write session started', 'r1'],
      ['write session finalized', 'r2'],
      ['write session committed', 'r2'],
    ]);
  });

  it('is refused for a file that a person must approve, and says by whose reply it is written', async () => {
    const { sessionId } = world.sessions.add();
    world.sessions.outcome = { kind: 'approval_required', inputId: 'turn/1' };
    const answer = await world.put(sessionId, 'from outside');
    expectError(answer, 409, 'approval_required', /turn\/1/);
    expect(answer.body['details']).toEqual({ inputId: 'turn/1' });
    world.sessions.outcome = { kind: 'approval_required' };
    const early = await world.finalize({ session_id: sessionId, draft: true });
    expectError(early, 409, 'approval_required');
    expect(early.body['details']).toBeUndefined();
  });
});
