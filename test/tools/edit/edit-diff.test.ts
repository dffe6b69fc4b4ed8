/** Checks that the diff of an edit, which is made from a part of the file, is that of the whole file. */
import { describe, expect, it } from '@jest/globals';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { applyEdits, type FileEdit } from '../../../src/tools/edit/apply-edits.ts';
import { editDiff } from '../../../src/tools/edit/edit-diff.ts';

const diffOf = async (content: string, edits: readonly FileEdit[]) => {
  const before = Buffer.from(content);
  const applied = await applyEdits(before, edits);
  if (!applied.ok) throw new Error(JSON.stringify(applied.problems));
  return { after: applied.after.toString(), ...editDiff('f', { before, ...applied }) };
};

const numbered = (lines: number): string =>
  Array.from({ length: lines }, (_, i) => `line ${i + 1}\n`).join('');

describe('the diff of an edit', () => {
  it('shows the lines that change, their places, and three lines around them', async () => {
    const { diff, added, removed } = await diffOf(numbered(100), [
      { old: 'line 50\n', new: 'line 50\nand a half\n', expect: 1 },
      { old: 'line 90', new: 'last but nine', expect: 1 },
    ]);
    expect(diff).toBe(
      '--- f\n+++ f\n' +
        '@@ -48,6 +48,7 @@\n line 48\n line 49\n line 50\n+and a half\n line 51\n line 52\n line 53\n' +
        '@@ -87,7 +88,7 @@\n line 87\n line 88\n line 89\n-line 90\n+last but nine\n line 91\n line 92\n line 93\n',
    );
    expect([added, removed]).toEqual([2, 1]);
  });

  it('is as small in a file of 10 MB', async () => {
    const { diff } = await diffOf(numbered(900_000), [{ old: 'line 800000\n', new: 'x\n', expect: 1 }]);
    expect(diff).toContain('@@ -799997,7 +799997,7 @@');
    expect(diff.length).toBeLessThan(300);
  });

  it('is a line of text where it would be too long', async () => {
    const { diff, added } = await diffOf(`${'x'.repeat(400_000)}y`, [{ old: 'y', new: 'z', expect: 1 }]);
    expect([diff, added]).toEqual(['f: 400001 bytes → 400001 bytes', undefined]);
  });

  it('turns the content into the edited one, whatever the edits', async () => {
    const line = fc.constantFrom('a\n', 'b\n', '\n', 'c');
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 30 }),
        fc.array(fc.tuple(fc.nat(30), fc.constantFrom('', 'new', 'x\ny', 'z\n')), {
          minLength: 1,
          maxLength: 4,
        }),
        async (lines, changes) => {
          // A mark of its own makes each place unique.
          const marked: string[] = [...lines];
          changes.forEach(([at], i) => marked.splice(Math.min(at, marked.length), 0, `<${i}>`));
          const content = marked.join('');
          const edits = changes.map(([, fresh], i) => ({ old: `<${i}>`, new: fresh, expect: 1 }));
          const { diff, after } = await diffOf(content, edits);
          expect(applyPatch(content, diff)).toBe(after);
        },
      ),
      { numRuns: 300 },
    );
  });
});
