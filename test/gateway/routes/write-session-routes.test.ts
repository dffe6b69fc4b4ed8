/** Covers every row of the table of write sessions over HTTP (docs/write-sessions.md). */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  beginResponseSchema,
  writeSessionListSchema,
  writeSessionStatusSchema,
  writeSessionTargetSchema,
} from '../../../src/contracts/http/write-session-api.ts';
import { WorkspaceError } from '../../../src/files/workspace/workspace-error.ts';
import { apiKey } from '../support/api-key.ts';
import { validBegin, NOT_FOUND, expectError } from '../support/write-session-answers.ts';
import { WriteSessionWorld } from '../support/write-session-world.ts';

let world: WriteSessionWorld;
beforeEach(async () => {
  world = await WriteSessionWorld.open();
});
afterEach(() => world.close());

describe('begin', () => {
  it('answers what a model needs to go on', async () => {
    const { status, body } = await world.begin(validBegin);
    expect(status).toBe(200);
    expect(beginResponseSchema.parse(body)).toEqual(body);
    expect(body).toMatchObject({
      stage: 'awaiting_content',
      instruction:
        'Now output content. End with DONE on its own line. Write the content directly, with no explanation and no code fences.',
      target_file: 'docs/big.md',
      operation: 'create',
    });
    expect(body['session_id']).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(world.sessions.open).toMatchObject([{ projectId: 'default', input: { intent: 'a long text' } }]);
  });

  it.each(['projectId', 'project_id', 'external_id'])('belongs to the project of %s', async (field) => {
    await world.begin({ ...validBegin, [field]: 'p1' });
    expect(world.sessions.open).toMatchObject([{ projectId: 'p1' }]);
  });

  it.each([
    [{}, 'Target file path is required.'],
    [{ operation: 'create' }, 'Target file path is required.'],
    [{ ...validBegin, target_file: '' }, 'Target file path is required.'],
    [{ ...validBegin, target_file: ' \t' }, 'Target file path is required.'],
    [{ ...validBegin, target_file: null }, 'Target file path is required.'],
    [{ ...validBegin, target_file: '', operation: 'x' }, 'Target file path is required.'],
    [{ target_file: 'a' }, "Invalid operation type. Must be 'create', 'overwrite', or 'append'."],
    [
      { ...validBegin, operation: 'delete' },
      "Invalid operation type. Must be 'create', 'overwrite', or 'append'.",
    ],
    [{ ...validBegin, operation: 7 }, "Invalid operation type. Must be 'create', 'overwrite', or 'append'."],
    [{ ...validBegin, target_file: 7 }, 'Validation failed: target_file: expected a string, received 7'],
    [{ ...validBegin, intent: [] }, 'Validation failed: intent: expected a string, received an array'],
    [
      { ...validBegin, projectId: 'a/b' },
      'Validation failed: projectId: expected 1-128 characters of A-Z a-z 0-9 . _ : -, received "a/b"',
    ],
    [[validBegin], 'Validation failed: body: expected an object, received an array'],
  ])('of %j is refused', async (body, error) => {
    expectError(await world.begin(body), 400, 'validation_failed', error);
    expect(world.sessions.byId.size).toBe(0);
  });

  it('with texts that are too long is refused, and names them', async () => {
    const long = 'é'.repeat(2_049);
    expectError(
      await world.begin({ ...validBegin, intent: long }),
      400,
      'validation_failed',
      /^Validation failed: intent: expected at most 4096 bytes of UTF-8, received 4098 bytes$/,
    );
    expectError(
      await world.begin({ ...validBegin, target_file: long }),
      400,
      'validation_failed',
      /target_file: expected at most 4096 bytes of UTF-8/,
    );
    expect((await world.begin({ ...validBegin, intent: 'é'.repeat(2_048) })).status).toBe(200);
  });

  it('without a body is refused', async () => {
    const answer = await world.gateway.request('POST', '/api/write-session/begin');
    expectError(
      answer,
      400,
      'validation_failed',
      'Validation failed: body: expected an object, received nothing',
    );
  });

  it('says why a target may not be written', async () => {
    world.sessions.refusal = 'outside the workspace: ../x';
    const answer = await world.begin({ ...validBegin, target_file: '../x' });
    expectError(answer, 400, 'validation_failed', 'Validation failed: outside the workspace: ../x');
  });

  it('while another session is active is a conflict', async () => {
    await world.begin(validBegin);
    const error = 'Another write session is already active. Please wait for it to complete.';
    expectError(await world.begin({ ...validBegin, target_file: 'other' }), 409, 'session_conflict', error);
  });

  it('says which session is in the way and what frees it', async () => {
    const sessionId = String((await world.begin(validBegin)).body['session_id']);
    const { body } = await world.begin(validBegin);
    expect(body['details']).toEqual({
      reason: `docs/big.md belongs to write session ${sessionId} (project default); \`orion write cancel ${sessionId}\` frees it.`,
      lock: 'target',
      session_id: sessionId,
      target_file: 'docs/big.md',
      projectId: 'default',
      command: `orion write cancel ${sessionId}`,
    });
    world.sessions.lock = 'slots';
    expect((await world.begin(validBegin)).body['details']).toMatchObject({
      reason: expect.stringMatching(/^1 write sessions are open, as many as one key may have\. One is /),
      lock: 'slots',
      session_id: sessionId,
    });
  });

  it('names the turn that is in the way, and its conversation', async () => {
    world.sessions.add({ turnId: 't1' });
    const { body } = await world.begin(validBegin);
    expect(body['details']).toMatchObject({ turnId: 't1', conversationId: 'talk' });
  });

  it('with the same Idempotency-Key is the same begin, unless the body differs or the session has ended', async () => {
    const key = { 'idempotency-key': 'k1' };
    const first = await world.begin(validBegin, key);
    expect((await world.begin(validBegin, key)).body).toEqual(first.body);
    expectError(await world.begin({ ...validBegin, operation: 'append' }, key), 409, 'idempotency_conflict');
    world.sessions.end(String(first.body['session_id']), 'expired');
    const late = await world.begin(validBegin, key);
    expectError(late, 404, 'session_not_found', NOT_FOUND);
    expect(late.body['details']).toEqual({ stage: 'expired' });
    expectError(await world.begin(validBegin, { 'idempotency-key': 'ü' }), 400, 'validation_failed');
  });
});

describe('draft', () => {
  it('grows chunk by chunk, and says where it ends', async () => {
    const { sessionId } = world.sessions.add();
    const first = await world.draft(sessionId, 0, 'äb');
    expect([first.status, first.body]).toEqual([202, { offset: 3 }]);
    expect((await world.draft(sessionId, 3, 'c')).body).toEqual({ offset: 4 });
    const wrong = await world.draft(sessionId, 3, 'c');
    expectError(wrong, 409, 'draft_offset');
    expect(wrong.body['details']).toEqual({ offset: 4 });
    const { body } = await world.gateway.get(`/api/write-session/status/${sessionId}`);
    expect(body['draft_bytes']).toBe(4);
  });

  it.each([undefined, '', '-1', '1.5', 'x', '1e3', '9999999999999999'])(
    'at the offset %j is refused',
    async (offset) => {
      const answer = await world.draft(world.sessions.add().sessionId, offset, 'a');
      expectError(answer, 400, 'validation_failed');
      expect(answer.body['error']).toMatch(
        /^Validation failed: Upload-Offset: expected the number of bytes sent so far/,
      );
    },
  );

  it('is 404 for an unknown or ended session', async () => {
    expectError(await world.draft(randomUUID(), 0, 'a'), 404, 'session_not_found', NOT_FOUND);
    const { sessionId } = world.sessions.add();
    world.sessions.end(sessionId, 'committed');
    const answer = await world.draft(sessionId, 0, 'a');
    expectError(answer, 404, 'session_not_found', NOT_FOUND);
    expect(answer.body['details']).toEqual({ stage: 'committed' });
  });

  it('keeps the session alive, with one touch per tenth of the timeout', async () => {
    const { sessionId } = world.sessions.add({ startedAt: new Date(Date.now() - 31_000) });
    await world.draft(sessionId, 0, 'a');
    await world.draft(sessionId, 1, 'b');
    expect(world.sessions.touched).toEqual([sessionId]);
    const young = world.sessions.add();
    await world.draft(young.sessionId, 0, 'a');
    expect(world.sessions.touched).toEqual([sessionId]);
  });

  it('is stored even when Temporal cannot be reached', async () => {
    const { sessionId } = world.sessions.add({ startedAt: new Date(0) });
    world.sessions.failure = Object.assign(new Error('14 UNAVAILABLE'), {
      code: 14,
      details: '',
      metadata: {},
    });
    expect((await world.draft(sessionId, 0, 'a')).status).toBe(202);
    await world.draft(sessionId, 1, 'b');
    expect(world.sessions.touched).toEqual([sessionId, sessionId]);
  });
});

describe('status', () => {
  it.each([(id: string) => `status/${id}`, (id: string) => `status?session_id=${id}`])(
    'is shown',
    async (path) => {
      const { sessionId } = world.sessions.add();
      const { status, body } = await world.gateway.get(`/api/write-session/${path(sessionId)}`);
      expect(status).toBe(200);
      expect(writeSessionStatusSchema.parse(body)).toEqual(body);
      expect(body).toMatchObject({ session_id: sessionId, stage: 'awaiting_content', draft_bytes: 0 });
    },
  );

  it('is 400 without a session, 404 for an unknown or ended one', async () => {
    expectError(await world.gateway.get('/api/write-session/status'), 400, 'validation_failed');
    expectError(
      await world.gateway.get(`/api/write-session/status/${randomUUID()}`),
      404,
      'session_not_found',
      NOT_FOUND,
    );
    const { sessionId } = world.sessions.add();
    world.sessions.end(sessionId, 'cancelled');
    const answer = await world.gateway.get(`/api/write-session/status/${sessionId}`);
    expectError(answer, 404, 'session_not_found', NOT_FOUND);
    expect(answer.body['details']).toEqual({ stage: 'cancelled' });
  });
});

describe('the file that a session writes', () => {
  it('has its size in the status: null without a file, and none where it cannot be read', async () => {
    const { sessionId } = world.sessions.add();
    const sizeWith = async (read: () => Promise<number | null>): Promise<unknown> => {
      world.sessions.targetBytes = read;
      const { status, body } = await world.gateway.get(`/api/write-session/status/${sessionId}`);
      expect(status).toBe(200);
      return 'target_bytes' in body ? body['target_bytes'] : 'absent';
    };
    expect(await sizeWith(() => Promise.resolve(7))).toBe(7);
    expect(await sizeWith(() => Promise.resolve(null))).toBeNull();
    expect(await sizeWith(() => Promise.reject(new Error('EIO')))).toBe('absent');
  });

  const targetOf = (id: string) => world.gateway.get(`/api/write-session/${id}/target`);

  it.each([{ text: 'Old\n' }, { text: null }, { reason: 'The file is no text.' }])(
    'is reported as it is: %j',
    async (current) => {
      world.sessions.targetText = () => Promise.resolve(current);
      const { sessionId } = world.sessions.add();
      const { status, body } = await targetOf(sessionId);
      expect(status).toBe(200);
      expect(writeSessionTargetSchema.parse(body)).toEqual(body);
      expect(body).toEqual({ target_file: 'docs/big.md', operation: 'create', ...current });
    },
  );

  it('is 404 for an unknown or ended session, and for a path that leads to nothing', async () => {
    expectError(await targetOf(randomUUID()), 404, 'session_not_found', NOT_FOUND);
    const { sessionId } = world.sessions.add();
    world.sessions.targetText = () =>
      Promise.reject(new WorkspaceError('outside', 'docs/big.md', 'leads out of the workspace'));
    expectError(await targetOf(sessionId), 404, 'not_found');
    world.sessions.end(sessionId, 'committed');
    expectError(await targetOf(sessionId), 404, 'session_not_found', NOT_FOUND);
  });
});

describe('delete', () => {
  /** Sends a DELETE with a body, whose length is set by hand because Node sends none with a DELETE. */
  const withBody = (fields: object) => {
    const body = JSON.stringify(fields);
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
    return world.gateway.request('DELETE', '/api/write-session', { headers, body });
  };
  it.each([
    ['path', (id: string) => world.gateway.request('DELETE', `/api/write-session/${id}`)],
    ['body', (id: string) => withBody({ session_id: id })],
    ['query', (id: string) => world.gateway.request('DELETE', `/api/write-session?session_id=${id}`)],
  ])('by %s ends the session once', async (_, send) => {
    const { sessionId } = world.sessions.add();
    const answer = await send(sessionId);
    expect([answer.status, answer.body]).toEqual([200, { message: 'Write session cancelled.' }]);
    const again = await send(sessionId);
    expectError(again, 404, 'session_not_found', NOT_FOUND);
    expect(again.body['details']).toEqual({ stage: 'cancelled' });
    expectError(await send(randomUUID()), 404, 'session_not_found', NOT_FOUND);
  });

  it('without a session is refused', async () => {
    expectError(await world.gateway.request('DELETE', '/api/write-session'), 400, 'validation_failed');
    expectError(await withBody({ session_id: 7 }), 400, 'validation_failed');
  });
});

describe('undo', () => {
  const undo = (id: string) => world.gateway.post(`/api/write-session/${id}/undo`, {});

  it('puts back the file, or says why not', async () => {
    const { sessionId } = world.sessions.add();
    const answer = await undo(sessionId);
    expect([answer.status, answer.body]).toEqual([
      200,
      { message: 'docs/big.md is again as it was before the write session.' },
    ]);
    world.sessions.undoOutcome = { kind: 'refused', reason: 'the file has changed since' };
    const refused = await undo(sessionId);
    expectError(refused, 409, 'session_conflict', 'The write cannot be undone: the file has changed since');
    expectError(await undo(randomUUID()), 404, 'session_not_found', NOT_FOUND);
  });
});

describe('list', () => {
  it('shows the sessions of one project', async () => {
    const { sessionId } = world.sessions.add({ projectId: 'p1' });
    world.sessions.add({ projectId: 'p2' });
    const { status, body } = await world.gateway.get('/api/write-session?projectId=p1');
    expect(status).toBe(200);
    expect(writeSessionListSchema.parse(body)).toEqual(body);
    expect(body['sessions']).toMatchObject([
      { session_id: sessionId, stage: 'awaiting_content', ended_at: null },
    ]);
    expect((await world.gateway.get('/api/write-session')).body).toEqual({ sessions: [] });
  });
});

describe('a key of another project', () => {
  it('may begin nothing, and sees no session', async () => {
    await world.close();
    const opens = (projectId: string) => projectId === 'mine';
    const key = apiKey('k', { opensAll: false, projects: ['mine'], opens });
    const keys = { find: () => key, close: () => undefined };
    world = await WriteSessionWorld.open(100, { keys });
    const bearer = { authorization: 'Bearer x' };
    expectError(await world.begin({ ...validBegin, projectId: 'theirs' }, bearer), 403, 'forbidden');
    expect((await world.begin({ ...validBegin, projectId: 'mine' }, bearer)).status).toBe(200);
    const { sessionId } = world.sessions.add({ projectId: 'theirs' });
    const calls: [string, string][] = [
      ['GET', `status/${sessionId}`],
      ['DELETE', sessionId],
      ['PUT', `${sessionId}/content`],
      ['POST', `${sessionId}/draft`],
      ['POST', `${sessionId}/undo`],
    ];
    for (const [method, path] of calls) {
      const answer = await world.gateway.request(method, `/api/write-session/${path}`, {
        headers: { ...bearer, 'upload-offset': '0' },
      });
      expectError(answer, 404, 'session_not_found', NOT_FOUND);
    }
    expectError(
      await world.finalize({ session_id: sessionId, content: 'x' }, bearer),
      404,
      'session_not_found',
      NOT_FOUND,
    );
    expect((await world.gateway.get('/api/write-session?projectId=theirs', bearer)).status).toBe(404);
    expect((await world.begin(validBegin)).status).toBe(401);
  });
});
