import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RawDelta } from '../../src/protocol/stream/raw-delta.ts';
import type { Response, Step } from '../support/fake-model/script.ts';
import { clientOf, deltasOf, useFakeModel } from './support/client-fixture.ts';

const provider = useFakeModel();

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const content: fc.Arbitrary<Step> = fc.oneof(
  text.map((words) => ({ text: words })),
  text.map((words) => ({ reasoning: words })),
  text.map((words) => ({ comment: words.replaceAll(/[\r\n]/g, ' ') })),
  fc.tuple(fc.nat(2), text).map(([index, words]) => ({
    calls: [{ index, id: `id${index}`, function: { name: 'f', arguments: words } }],
  })),
);
const response: fc.Arbitrary<Response> = fc.record({
  steps: fc
    .array(content, { maxLength: 12 })
    .map((steps) => [...steps, { finish: 'stop' }, { done: true as const }]),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  dataPrefix: fc.constantFrom('data: ', 'data:'),
});

/** Joins adjacent pieces of the same kind: only what a stream says may matter, not how it was cut. */
const joined = (deltas: readonly RawDelta[]) =>
  deltas.reduce<{ key: string; text: string }[]>((list, delta) => {
    const key = delta.type === 'call' ? `call ${delta.index} ${delta.id} ${delta.name}` : delta.type;
    const piece =
      'text' in delta ? delta.text : delta.type === 'call' ? (delta.arguments ?? '') : JSON.stringify(delta);
    const last = list.at(-1);
    if (last?.key === key) last.text += piece;
    else list.push({ key, text: piece });
    return list;
  }, []);

const answerTo = async (script: Response) => {
  provider.fake.script(script);
  return joined(await deltasOf(clientOf(provider.fake)));
};

const spoken = ({ steps = [] }: Response) => steps.map((step) => ('text' in step ? step.text : '')).join('');

describe('a stream cut anywhere by TCP', () => {
  it('says the same as an uncut one, and all of it', async () => {
    await fc.assert(
      fc.asyncProperty(
        response,
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }),
        async (script, cuts) => {
          const whole = await answerTo(script);
          expect(await answerTo({ ...script, cuts })).toEqual(whole);
          expect(whole.map(({ key, text: words }) => (key === 'text' ? words : '')).join('')).toBe(
            spoken(script),
          );
        },
      ),
      { numRuns: 40 },
    );
  });

  it('is never a whole answer when it ends before its end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(content, { maxLength: 6 }), async (steps) => {
        provider.fake.script({ steps });
        await expect(deltasOf(clientOf(provider.fake))).rejects.toMatchObject({
          code: 'model_unavailable',
          isRetryable: true,
        });
      }),
      { numRuns: 20 },
    );
  });
});
