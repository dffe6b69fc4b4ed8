/** Covers which reply counts: the first that fits, whoever else replies and in whatever order. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ReplyRequest } from '../../../src/contracts/inputs/reply.ts';
import type { StoredResolution } from '../../../src/contracts/inputs/input-request.ts';
import { InputRequestState, replyHashOf } from '../../../src/protocol/inputs/input-request-state.ts';

const inputId = 't/1';
const argsHash = 'a'.repeat(64);
const AT = '2026-01-05T09:00:00.000Z';

const open = (): InputRequestState => {
  const state = new InputRequestState();
  state.open({
    inputId,
    argsHash,
    options: ['allow', 'allow_turn', 'edit', 'deny'],
    default: 'deny',
    refusalFor: (text) => (text.includes('bad') ? 'bad' : undefined),
  });
  return state;
};

const resolutionOf = (request: ReplyRequest): StoredResolution => ({
  inputId,
  reply: request.reply,
  by: { kind: 'local' },
  at: AT,
  replyHash: replyHashOf(request),
});

/** Does with a reply what the workflow does when one comes in. */
const take = (state: InputRequestState, request: ReplyRequest): 'new' | 'same' | 'refused' => {
  const verdict = state.judge(request);
  if (verdict.kind !== 'counts') return verdict.kind;
  state.resolve(inputId, resolutionOf(request));
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

describe('InputRequestState', () => {
  it('counts one reply at most, gives a repeat the same answer, and refuses the others', () =>
    fc.assert(
      fc.property(fc.array(request, { maxLength: 12 }), (requests) => {
        const state = open();
        let first: ReplyRequest | undefined;
        for (const one of requests) {
          const taken = take(state, one);
          if (taken === 'new') {
            expect(first).toBeUndefined();
            first = one;
          }
          if (taken === 'same') expect(replyHashOf(one)).toBe(replyHashOf(first as ReplyRequest));
        }
        expect(state.resolutionOf(inputId)?.reply).toBe(first?.reply);
        if (first?.reply === 'allow' || first?.reply === 'allow_turn' || first?.reply === 'edit') {
          expect(first.argsHash).toBe(argsHash);
        }
      }),
      { numRuns: 1_000 },
    ));

  it('changes nothing by judging', () => {
    const state = open();
    const allow = { inputId, reply: 'allow', argsHash } as const;
    expect([state.judge(allow), state.judge(allow)]).toEqual([{ kind: 'counts' }, { kind: 'counts' }]);
    expect(state.resolutionOf(inputId)).toBeUndefined();
  });

  it('takes the default once, and never instead of a reply', () => {
    const state = open();
    take(state, { inputId, reply: 'allow', argsHash });
    expect(state.takeDefault(inputId, 'expiry', AT)).toMatchObject({ reply: 'allow' });
    const other = open();
    expect(other.takeDefault(inputId, 'expiry', AT)).toMatchObject({ reply: 'deny', by: { kind: 'expiry' } });
    expect(take(other, { inputId, reply: 'allow', argsHash })).toBe('refused');
  });

  it('knows an answer by its text, given whole or by its hash', () => {
    const state = new InputRequestState();
    state.open({ inputId, options: ['answer', 'deny'], default: 'deny' });
    const answer = { inputId, reply: 'answer' } as const;
    expect(state.judge(answer)).toMatchObject({ code: 'validation_failed' });
    const contentSha256 = '5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9';
    expect(take(state, { ...answer, contentSha256 })).toBe('new');
    expect(take(state, { ...answer, content: '0' })).toBe('same');
    expect(take(state, { ...answer, content: '1' })).toBe('refused');
    expect(take(state, { inputId, reply: 'deny' })).toBe('refused');
  });

  it('takes a result only with the outcome of the call, and distinguishes failure and success', () => {
    const state = new InputRequestState();
    state.open({ inputId, options: ['result', 'deny'], default: 'deny' });
    const result = { inputId, reply: 'result', content: 'x' } as const;
    expect(state.judge(result)).toMatchObject({ code: 'validation_failed' });
    expect(state.judge({ inputId, reply: 'result', ok: true })).toMatchObject({ code: 'validation_failed' });
    expect(take(state, { ...result, ok: false })).toBe('new');
    expect(take(state, { ...result, ok: true })).toBe('refused');
  });

  it('says why, for clients to tell apart', () => {
    const state = open();
    const codeOf = (one: Partial<ReplyRequest>): string => {
      const verdict = state.judge({ inputId, reply: 'deny', ...one });
      return verdict.kind === 'refused' ? verdict.code : verdict.kind;
    };
    expect(codeOf({ inputId: 't/9' })).toBe('input_not_found');
    expect(codeOf({ reply: 'answer' })).toBe('validation_failed');
    expect(codeOf({ reply: 'allow' })).toBe('validation_failed');
    expect(codeOf({ reply: 'allow', argsHash: 'c'.repeat(64) })).toBe('input_changed');
    expect(codeOf({ reply: 'edit', argsHash })).toBe('validation_failed');
    expect(codeOf({ reply: 'edit', argsHash, arguments: { path: 'bad' } })).toBe('validation_failed');
    state.abandon();
    expect(codeOf({})).toBe('input_closed');
  });

  it('refuses edits after twenty that failed, and still takes an answer', () => {
    const state = open();
    const edit: ReplyRequest = { inputId, reply: 'edit', argsHash, arguments: { path: 'a' } };
    for (let failed = 0; failed < 20; failed += 1) {
      expect(state.judge(edit).kind).toBe('counts');
      state.noteFailedEdit(inputId);
    }
    expect(state.judge(edit)).toMatchObject({ kind: 'refused', code: 'validation_failed' });
    expect(take(state, { inputId, reply: 'allow', argsHash })).toBe('new');
  });
});
