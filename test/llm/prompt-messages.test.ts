import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ModelMessage } from '../../src/contracts/model/model-message.ts';
import { MODEL_PROVIDERS } from '../../src/config/settings/model-provider.ts';
import { providerMessages } from '../../src/llm/prompt-messages.ts';
import { quirksOf } from '../../src/llm/quirks.ts';

const text = fc.string({ maxLength: 8 });
const system = text.map((content): ModelMessage[] => [{ role: 'system', content }]);
const user = text.map((content): ModelMessage[] => [{ role: 'user', content }]);
const says = text.map((content): ModelMessage[] => [{ role: 'assistant', content }]);
const asks = fc.tuple(text, fc.array(text, { minLength: 1, maxLength: 3 })).map(([content, results]) => {
  const calls = results.map((_, i) => ({
    id: `call${i}`,
    type: 'function' as const,
    function: { name: 'x', arguments: '{}' },
  }));
  return [
    { role: 'assistant' as const, content, tool_calls: calls },
    ...results.map((result, i): ModelMessage => ({
      role: 'tool',
      tool_call_id: `call${i}`,
      content: result,
    })),
  ];
});
const prompt = fc
  .array(fc.oneof(user, says, asks, system), { maxLength: 12 })
  .map((rest) => [{ role: 'system' as const, content: 'You are Orion.' }, ...rest.flat()]);

describe.each(MODEL_PROVIDERS)('messages for the row %s', (name) => {
  const quirks = quirksOf(name, 'http://localhost/v1');

  it('never have two of a user or of the assistant in a row, and results directly behind their calls', () => {
    fc.assert(
      fc.property(prompt, (messages) => {
        const sent = providerMessages(messages, quirks);
        for (const [i, message] of sent.entries()) {
          const before = sent[i - 1];
          if (message.role === 'user' || message.role === 'assistant') {
            expect(message.role).not.toBe(before?.role);
          }
          if (message.role === 'tool') expect(['assistant', 'tool']).toContain(before?.role);
          if (quirks.allowsOnlyFirstSystem && i > 0) expect(message.role).not.toBe('system');
        }
      }),
    );
  });

  it('keep every word and their order', () => {
    fc.assert(
      fc.property(prompt, (messages) => {
        const words = providerMessages(messages, quirks)
          .map(({ content }) => content)
          .join('\n');
        let at = 0;
        for (const { content } of messages) {
          at = words.indexOf(content, at);
          expect(at).toBeGreaterThanOrEqual(0);
          at += content.length;
        }
      }),
    );
  });
});

it('a later system message becomes a marked user message where providers refuse it', () => {
  const messages: ModelMessage[] = [
    { role: 'system', content: 'You are Orion.' },
    { role: 'user', content: 'q' },
    { role: 'system', content: 'Provide final answer.' },
  ];
  expect(providerMessages(messages, { allowsOnlyFirstSystem: true })).toEqual([
    messages[0],
    { role: 'user', content: 'q\n\n[Orion] Provide final answer.' },
  ]);
  expect(providerMessages(messages, {})).toEqual(messages);
});
