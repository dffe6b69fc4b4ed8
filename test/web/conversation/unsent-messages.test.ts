/** Covers what a tab keeps of messages that the gateway has not accepted. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { UnsentMessage } from '../../../src/web/conversation/history.ts';
import { storeUnsentMessages, readUnsentMessages } from '../../../src/web/conversation/unsent-messages.ts';
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

const unsentMessage = fc.record({
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
}) satisfies fc.Arbitrary<UnsentMessage>;

describe('messages that were not accepted', () => {
  it('are kept as they are, each conversation its own', () => {
    fc.assert(
      fc.property(fc.array(unsentMessage), (unsent) => {
        const storage = storageOf();
        storeUnsentMessages(place, unsent, storage);
        expect(readUnsentMessages(place, storage)).toEqual(unsent);
        expect(readUnsentMessages({ ...place, conversationId: 'd' }, storage)).toEqual([]);
      }),
    );
  });

  it('leave nothing behind once all are accepted', () => {
    const storage = storageOf();
    const [one] = fc.sample(unsentMessage, { numRuns: 1, seed: 1 });
    storeUnsentMessages(place, one ? [one] : [], storage);
    expect(storage.texts.size).toBe(1);
    storeUnsentMessages(place, [], storage);
    expect(storage.texts.size).toBe(0);
  });

  it.each(['', '{', 'null', '[{}]', '[{"message":{"turnId":1},"isBeside":true}]'])(
    'are none where what is kept cannot be read: %j',
    (text) => {
      const storage = storageOf();
      storeUnsentMessages(place, fc.sample(unsentMessage, 1), storage);
      for (const name of storage.texts.keys()) storage.texts.set(name, text);
      expect(readUnsentMessages(place, storage)).toEqual([]);
    },
  );

  it('are not kept where the browser has no room or forbids it', () => {
    const no = (): never => {
      throw new DOMException('no room', 'QuotaExceededError');
    };
    const storage = { getItem: no, setItem: no, removeItem: no };
    storeUnsentMessages(place, fc.sample(unsentMessage, 1), storage);
    storeUnsentMessages(place, [], storage);
    expect(readUnsentMessages(place, storage)).toEqual([]);
  });
});
