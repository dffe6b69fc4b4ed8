/**
 * Tries 300 edits as models make them, right and wrong: none hits a wrong place, every byte is as it was meant, and of
 * 100 models that copy from the error, at least 99 succeed on the second try.
 */
import { describe, expect, it } from '@jest/globals';
import { applyEdits, type FileEdit } from '../../../src/tools/edit/apply-edits.ts';
import { createYieldToLoop } from '../../../src/base/timing/yield-to-loop.ts';
import { lineStartsOf } from '../../../src/tools/edit/line-starts.ts';
import { findNearestPlace } from '../../../src/tools/edit/nearest-place.ts';
import { logLine } from '../../support/test-log.ts';
import { EDIT_CASES, type EditCase } from './support/edit-cases.ts';

/** Tries an edit; for a refusal resolves to the text that the model reads. */
const attempt = async (content: string, edits: readonly FileEdit[]) => {
  const bytes = Buffer.from(content);
  const applied = await applyEdits(bytes, edits);
  if (applied.ok) return { kind: 'applied' as const, after: applied.after.toString() };
  const [problem] = applied.problems;
  if (problem?.kind === 'miscounted') return { kind: 'ambiguous' as const };
  const old = problem?.kind === 'not_found' ? (edits[problem.edit]?.old ?? '') : '';
  const place = await findNearestPlace(
    { content: bytes, starts: lineStartsOf(bytes), yieldToLoop: createYieldToLoop() },
    Buffer.from(old),
  );
  return { kind: 'shown' as const, lines: place?.lines ?? '' };
};

/** Copies the line that the model means from those that it is shown, without number and tab. */
const secondTry = (one: EditCase, shown: string): FileEdit[] => {
  const copied = shown
    .split('\n')
    .map((line) => line.slice(line.indexOf('\t') + 1))
    .find((line) => line.includes(one.mark));
  return copied === undefined ? [] : [{ old: copied, new: one.change(copied), expect: 1 }];
};

describe('the edit corpus', () => {
  it('has 300 cases of ten kinds in five languages', () => {
    expect(EDIT_CASES).toHaveLength(300);
    expect(new Set(EDIT_CASES.map(({ kind }) => kind)).size).toBe(10);
  });

  it('0 wrong places, 100 % byte-exact, and 99 % of the second tries succeed', async () => {
    const counts = { applied: 0, refused: 0, wrong: 0, secondTries: 0, succeeded: 0 };
    const failed: string[] = [];
    for (const one of EDIT_CASES) {
      const first = await attempt(one.content, one.edits);
      const expected = one.isRight ? 'applied' : 'refused';
      counts[first.kind === 'applied' ? 'applied' : 'refused'] += 1;
      const isAsMeant = first.kind === 'applied' ? one.isRight && first.after === one.meant : !one.isRight;
      if (!isAsMeant) failed.push(`${one.name}: expected to be ${expected}`);
      if (first.kind === 'applied' && first.after !== one.meant) counts.wrong += 1;
      if (first.kind === 'applied') continue;
      counts.secondTries += 1;
      const again = first.kind === 'ambiguous' ? one.withContext : secondTry(one, first.lines);
      const second = await attempt(one.content, again);
      if (second.kind === 'applied' && second.after === one.meant) counts.succeeded += 1;
      else failed.push(`${one.name}: second try`);
      if (second.kind === 'applied' && second.after !== one.meant) counts.wrong += 1;
    }
    logLine(`edit corpus: ${JSON.stringify(counts)}`);
    expect(counts.wrong).toBe(0);
    expect(counts.applied).toBeGreaterThan(100);
    expect(counts.secondTries).toBeGreaterThan(100);
    expect(counts.succeeded / counts.secondTries).toBeGreaterThanOrEqual(0.99);
    expect(failed.filter((line) => !line.endsWith('second try'))).toEqual([]);
  });
});
