import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CHARACTERS_PER_TOKEN } from '../../../src/contracts/model/model-message.ts';
import { OutputBudget } from '../../../src/protocol/stream/output-budget.ts';

const pieces = fc.array(fc.string({ unit: 'binary', maxLength: 9 }), { maxLength: 8 });

it('allows the beginning of the output up to its size, however the output is cut', () => {
  fc.assert(
    fc.property(pieces, fc.nat(8), (list, tokens) => {
      const budget = new OutputBudget(tokens);
      const allowed = list.map((piece) => budget.take(piece)).join('');
      const output = list.join('');
      const size = tokens * CHARACTERS_PER_TOKEN;
      expect(budget.characters).toBe(Math.min(size, output.length));
      expect(budget.isExceeded).toBe(output.length > size);
      // At most half a character less than the budget has room for.
      expect(output.startsWith(allowed)).toBe(true);
      expect(budget.characters - allowed.length).toBeLessThanOrEqual(1);
      expect(allowed.isWellFormed() || !output.isWellFormed()).toBe(true);
    }),
  );
});

it('allows nothing more once it is exceeded', () => {
  const budget = new OutputBudget(1);
  expect(budget.take('x'.repeat(CHARACTERS_PER_TOKEN + 1))).toBe('x'.repeat(CHARACTERS_PER_TOKEN));
  expect([budget.take('y'), budget.spend(1)]).toEqual(['', 0]);
});
