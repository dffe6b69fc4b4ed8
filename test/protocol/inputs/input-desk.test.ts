/** Covers which reply counts: the first that fits, whoever else replies and in whatever order. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ReplyRequest } from '../../../src/contracts/inputs/reply.ts';
import type { StoredResolution } from '../../../src/contracts/inputs/input-request.ts';
import { InputDesk, replyHashOf } from '../../../src/protocol/inputs/input-desk.ts';

const inputId = 't/1';
const argsHash = 'a'.repeat(64);
const AT = '2026-01-05T09:00:00.000Z';

const open = (): InputDesk => {
  const desk = new InputDesk();
  desk.open({
    inputId,
    argsHash,
    options: ['allow', 'allow_turn', 'edit', 'deny'],
    default: 'deny',
    refusalFor: (text) => (text.includes('bad') ? 'bad' : undefined),
  });
  return desk;
};

const resolutionOf = (request: ReplyRequest): StoredResolution => ({
  inputId,
  reply: request.reply,
  by: { kind: 'local' },
  at: AT,
  replyHash: replyHashOf(request),
});

/** Does with a reply what the workflow does when one comes in. */
const take = (desk: InputDesk, request: ReplyRequest): 'new' | 'same' | 'refused' => {
  const verdict = desk.judge(request);
  if (verdict.kind !== 'counts') return verdict.kind;
  desk.resolve(inputId, resolutionOf(request));
  return 'new';
};

const request: fc.Arbitrary<ReplyRequest> = fc.record(
  {
    inputId: fc.constantFrom(inputId, inputId, inputId, 't/2'),
    reply: fc.constantFrom('allow', 'allow_turn', 'edit', 'deny', 'answer'),
    argsHash: fc.constantFrom(argsHash, argsHash, 'b'.repeat(64)),
    arguments: fc.constantFrom({ path: 'a' }, { path: 'bad' }),
    note: fc.constantFrom('', 'because'),
    by: fc.constantFrom({ kind: 'local' as const }, { kind: 'key' as const, name: 'anna' }),
  },
  { requiredKeys: ['inputId', 'reply'] },
);

describe('InputDesk', () => {
  it('counts one reply at most, gives a repeat the same answer, and refuses the others', () =>
    fc.assert(
      fc.property(fc.array(request, { maxLength: 12 }), (requests) => {
        const desk = open();
        let first: ReplyRequest | undefined;
        for (const one of requests) {
          const taken = take(desk, one);
          if (taken === 'new') {
            expect(first).toBeUndefined();
            first = one;
          }
          if (taken === 'same') expect(replyHashOf(one)).toBe(replyHashOf(first as ReplyRequest));
        }
        expect(desk.resolutionOf(inputId)?.reply).toBe(first?.reply);
        if (first?.reply === 'allow' || first?.reply === 'allow_turn' || first?.reply === 'edit') {
          expect(first.argsHash).toBe(argsHash);
        }
      }),
      { numRuns: 1_000 },
    ));

  it('changes nothing by judging', () => {
    const desk = open();
    const allow = { inputId, reply: 'allow', argsHash } as const;
    expect([desk.judge(allow), desk.judge(allow)]).toEqual([{ kind: 'counts' }, { kind: 'counts' }]);
    expect(desk.resolutionOf(inputId)).toBeUndefined();
  });

  it('takes the default once, and never instead of a reply', () => {
    const desk = open();
    take(desk, { inputId, reply: 'allow', argsHash });
    expect(desk.takeDefault(inputId, 'expiry', AT)).toMatchObject({ reply: 'allow' });
    const other = open();
    expect(other.takeDefault(inputId, 'expiry', AT)).toMatchObject({ reply: 'deny', by: { kind: 'expiry' } });
    expect(take(other, { inputId, reply: 'allow', argsHash })).toBe('refused');
  });

  it('knows an answer by its text, given whole or by its hash', () => {
    const desk = new InputDesk();
    desk.open({ inputId, options: ['answer', 'deny'], default: 'deny' });
    const answer = { inputId, reply: 'answer' } as const;
    expect(desk.judge(answer)).toMatchObject({ code: 'validation_failed' });
    const contentSha256 = '5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9';
    expect(take(desk, { ...answer, contentSha256 })).toBe('new');
    expect(take(desk, { ...answer, content: '0' })).toBe('same');
    expect(take(desk, { ...answer, content: '1' })).toBe('refused');
    expect(take(desk, { inputId, reply: 'deny' })).toBe('refused');
  });

  it('takes a result only with the outcome of the call, and distinguishes failure and success', () => {
    const desk = new InputDesk();
    desk.open({ inputId, options: ['result', 'deny'], default: 'deny' });
    const result = { inputId, reply: 'result', content: 'x' } as const;
    expect(desk.judge(result)).toMatchObject({ code: 'validation_failed' });
    expect(desk.judge({ inputId, reply: 'result', ok: true })).toMatchObject({ code: 'validation_failed' });
    expect(take(desk, { ...result, ok: false })).toBe('new');
    expect(take(desk, { ...result, ok: true })).toBe('refused');
  });

  it('says why, for clients to tell apart', () => {
    const desk = open();
    const codeOf = (one: Partial<ReplyRequest>): string => {
      const verdict = desk.judge({ inputId, reply: 'deny', ...one });
      return verdict.kind === 'refused' ? verdict.code : verdict.kind;
    };
    expect(codeOf({ inputId: 't/9' })).toBe('input_not_found');
    expect(codeOf({ reply: 'answer' })).toBe('validation_failed');
    expect(codeOf({ reply: 'allow' })).toBe('validation_failed');
    expect(codeOf({ reply: 'allow', argsHash: 'c'.repeat(64) })).toBe('input_changed');
    expect(codeOf({ reply: 'edit', argsHash })).toBe('validation_failed');
    expect(codeOf({ reply: 'edit', argsHash, arguments: { path: 'bad' } })).toBe('validation_failed');
    desk.abandon();
    expect(codeOf({})).toBe('input_closed');
  });

  it('refuses edits after twenty that failed, and still takes an answer', () => {
    const desk = open();
    const edit: ReplyRequest = { inputId, reply: 'edit', argsHash, arguments: { path: 'a' } };
    for (let failed = 0; failed < 20; failed += 1) {
      expect(desk.judge(edit).kind).toBe('counts');
      desk.noteFailedEdit(inputId);
    }
    expect(desk.judge(edit)).toMatchObject({ kind: 'refused', code: 'validation_failed' });
    expect(take(desk, { inputId, reply: 'allow', argsHash })).toBe('new');
  });
});
