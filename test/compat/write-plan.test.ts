/**
 * Tests writing files from code: each write is a session of its own over HTTP, and a plan stops at its first failure.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createWritePlan, type WritePlan } from '../../src/compat/write-plan.ts';
import { WriteSessionWorld } from '../gateway/support/write-session-world.ts';
import { untyped } from '../support/untyped.ts';

let world: WriteSessionWorld;
let plan: WritePlan;
beforeEach(async () => {
  world = await WriteSessionWorld.open(1_000);
  plan = createWritePlan({ baseUrl: world.gateway.url, projectId: 'p1' });
});
afterEach(() => world.close());

const session = { intent: 'a test', target_file: 'a.txt', operation: 'create' };
const NOT_FOUND = 'Session not found or expired. Please start a new write session.';
const one = { type: 'create', target_file: 'one.txt', content: 'one' } as const;
const two = { type: 'append', target_file: 'two.txt', content: 'two' } as const;

describe('a session', () => {
  it('is begun, shown, finalized, and gone', async () => {
    const { session_id, stage, instruction } = await plan.begin(session);
    expect([stage, typeof instruction]).toEqual(['awaiting_content', 'string']);
    expect(world.sessions.open).toMatchObject([{ projectId: 'p1', targetFile: 'a.txt' }]);
    expect(await plan.getStatus(session_id)).toMatchObject({ session_id, stage: 'awaiting_content' });
    expect(await plan.finalizeViaAPI(session_id, 'hello\n')).toMatchObject({
      intent: 'a test',
      results: [{ operation_index: 0, type: 'create', target_file: 'a.txt', status: 'success', error: null }],
    });
    expect(world.committed()).toBe('hello\n');
    await expect(plan.getStatus(session_id)).rejects.toThrow(NOT_FOUND);
  });

  it('may be deleted', async () => {
    const { session_id } = await plan.begin(session);
    await plan.deleteSession(session_id);
    await expect(plan.getStatus(session_id)).rejects.toThrow(NOT_FOUND);
    await expect(plan.deleteSession(session_id)).rejects.toThrow(NOT_FOUND);
  });

  it.each([
    ['a missing target', () => plan.begin({ ...session, target_file: '' }), 'Target file path is required.'],
    [
      'an unknown operation',
      () => plan.begin({ ...session, operation: 'delete' }),
      'Invalid operation type.',
    ],
    ['an unknown session', () => plan.finalizeViaAPI('unknown', 'x'), NOT_FOUND],
    ['an id with a slash', () => plan.getStatus('a/b'), NOT_FOUND],
  ])('is refused for %s in the words of the API', async (_, ask, text) => {
    await expect(ask()).rejects.toThrow(text);
  });

  it.each([
    ['empty', '', 'Validation failed: content cannot be empty'],
    ['no valid Unicode', 'a\ud800', 'Validation failed: content: expected text that is valid Unicode'],
    ['too large', 'x'.repeat(1_001), 'Content exceeds 10MB limit. Please reduce file size.'],
  ])('takes no content that is %s', async (_, content, text) => {
    const { session_id } = await plan.begin(session);
    await expect(plan.finalizeViaAPI(session_id, content)).rejects.toThrow(text);
  });

  it('conflicts with another one', async () => {
    await plan.begin(session);
    const error = {
      code: 'session_conflict',
      message: expect.stringMatching(/^Another write session is already active/),
    };
    await expect(plan.begin(session)).rejects.toMatchObject(error);
  });
});

describe('a plan', () => {
  it('writes its operations in order', async () => {
    const { intent, results } = await plan.executeWritePlan({ intent: 'both', operations: [one, two] });
    expect(intent).toBe('both');
    expect(results).toMatchObject([
      {
        operation_index: 0,
        type: 'create',
        target_file: 'one.txt',
        status: 'success',
        error: null,
        bytes: 3,
      },
      { operation_index: 1, type: 'append', target_file: 'two.txt', status: 'success', error: null },
    ]);
    expect(
      [...world.sessions.byId.values()].map(({ targetFile, input }) => [targetFile, input.intent]),
    ).toEqual([
      ['one.txt', 'both'],
      ['two.txt', 'both'],
    ]);
  });

  it('makes an empty file where its text is empty, in both forms', async () => {
    const single = { operation: 'create', path: 'empty.txt', content: '' } as const;
    expect(await plan.execute(single)).toMatchObject({
      results: [{ status: 'success', bytes: 0, lines: 0 }],
    });
    expect(world.committed()).toBe('');
    const { results } = await plan.executeWritePlan({
      operations: [
        { ...one, content: '' },
        { ...one, type: 'overwrite', content: '' },
        { ...one, type: 'append', content: '' },
      ],
    });
    expect(results.map(({ status }) => status)).toEqual(['success', 'success', 'error']);
    expect(world.sessions.open).toEqual([]);
  });

  it('stops at the first failure, which names the operation, and leaves no session open', async () => {
    const blank = { ...two, content: ' ' };
    const { results } = await plan.executeWritePlan({
      operations: [one, blank, { ...one, target_file: 'three.txt' }],
    });
    expect(results).toMatchObject([
      { status: 'success' },
      {
        operation_index: 1,
        status: 'error',
        error: {
          code: 'validation_failed',
          message: 'Operation 1 (append two.txt): Validation failed: content cannot be empty',
        },
      },
    ]);
    expect(results).toHaveLength(2);
    expect(world.sessions.open).toEqual([]);
  });

  it('says why a file could not be written', async () => {
    world.sessions.outcome = { kind: 'failed', code: 'write_failed', reason: 'file exists: one.txt' };
    const { results } = await plan.executeWritePlan({ operations: [one] });
    expect(results).toMatchObject([
      { error: { code: 'write_failed', message: 'Operation 0 (create one.txt): file exists: one.txt' } },
    ]);
  });

  it.each([
    {},
    { operations: [] },
    { operations: [{ ...one, type: 'delete' }] },
    { operations: [{ ...one, content: 7 }] },
  ])('that is none is refused before anything is written: %j', async (wrong) => {
    await expect(plan.executeWritePlan(untyped(wrong))).rejects.toThrow('Validation failed: operations');
    expect(world.sessions.byId.size).toBe(0);
  });

  it('may be one operation, whose failure is thrown', async () => {
    const { results } = await plan.execute({ operation: 'create', path: 'one.txt', content: 'one' });
    expect(results).toMatchObject([{ target_file: 'one.txt', status: 'success' }]);
    expect((await plan.execute({ plan: { operations: [two] } })).results).toHaveLength(1);
    await expect(plan.execute({ operation: 'create', path: 'one.txt', content: ' ' })).rejects.toThrow(
      'content cannot be empty',
    );
    await expect(plan.execute(untyped({ operation: 'create' }))).rejects.toThrow(
      'Validation failed: parameters: expected { plan: { operations } } or { operation, path, content }',
    );
  });
});
