/** Covers what a tab keeps of questions that the gateway has not accepted. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { UnsentQuestion } from '../../../src/web/conversation/history.ts';
import { storeUnsentQuestions, readUnsentQuestions } from '../../../src/web/conversation/stored-questions.ts';
import type { TabStorage } from '../../../src/web/tab-storage/tab-storage.ts';

const place = { projectId: 'p', conversationId: 'c' };

const storageOf = (): TabStorage & { readonly texts: Map<string, string> } => {
  const texts = new Map<string, string>();
  return {
    texts,
    getItem: (name) => texts.get(name) ?? null,
    setItem: (name, text) => void texts.set(name, text),
    removeItem: (name) => void texts.delete(name),
  };
};

const unsentQuestion = fc.record({
  message: fc.record({
    projectId: fc.constant('p'),
    conversationId: fc.constant('c'),
    turnId: fc.string(),
    parentTurnId: fc.option(fc.string()),
    content: fc.string(),
    mode: fc.constantFrom('plan' as const, 'act' as const),
    protocol: fc.constantFrom('two_stage' as const, 'standard' as const),
    model: fc.option(fc.string(), { nil: undefined }),
  }),
  isBeside: fc.boolean(),
  failure: fc.record({
    code: fc.constantFrom('turn_in_progress' as const, 'unreachable' as const),
    message: fc.string(),
  }),
}) satisfies fc.Arbitrary<UnsentQuestion>;

describe('questions that were not taken', () => {
  it('are kept as they are, each conversation its own', () => {
    fc.assert(
      fc.property(fc.array(unsentQuestion), (unsent) => {
        const storage = storageOf();
        storeUnsentQuestions(place, unsent, storage);
        expect(readUnsentQuestions(place, storage)).toEqual(unsent);
        expect(readUnsentQuestions({ ...place, conversationId: 'd' }, storage)).toEqual([]);
      }),
    );
  });

  it('leave nothing behind once all are taken', () => {
    const storage = storageOf();
    const [one] = fc.sample(unsentQuestion, { numRuns: 1, seed: 1 });
    storeUnsentQuestions(place, one ? [one] : [], storage);
    expect(storage.texts.size).toBe(1);
    storeUnsentQuestions(place, [], storage);
    expect(storage.texts.size).toBe(0);
  });

  it.each(['', '{', 'null', '[{}]', '[{"message":{"turnId":1},"isBeside":true}]'])(
    'are none where what is kept cannot be read: %j',
    (text) => {
      const storage = storageOf();
      storeUnsentQuestions(place, fc.sample(unsentQuestion, 1), storage);
      for (const name of storage.texts.keys()) storage.texts.set(name, text);
      expect(readUnsentQuestions(place, storage)).toEqual([]);
    },
  );

  it('are not kept where the browser has no room or forbids it', () => {
    const no = (): never => {
      throw new DOMException('no room', 'QuotaExceededError');
    };
    const storage = { getItem: no, setItem: no, removeItem: no };
    storeUnsentQuestions(place, fc.sample(unsentQuestion, 1), storage);
    storeUnsentQuestions(place, [], storage);
    expect(readUnsentQuestions(place, storage)).toEqual([]);
  });
});
