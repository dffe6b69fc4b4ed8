/** Covers what the lines of a diff are shown as. */
import { expect, it } from '@jest/globals';
import { classifyDiffLines } from '../../../src/web/components/diff-lines.ts';

const kindsOf = (diff: string): readonly string[] => classifyDiffLines(diff).map(({ kind }) => kind);

it('the lines before the first hunk are names of files, and no others', () => {
  const diff = '--- a.sql\n+++ a.sql\n@@ -1,2 +1,2 @@\n--- drop the trigger\n+++count;\n kept\n';
  expect(kindsOf(diff)).toEqual(['file', 'file', 'hunk', 'removed', 'added', 'context']);
});

it('the lines of a second hunk are read like those of the first', () => {
  expect(kindsOf('--- a\n+++ a\n@@ -1 +1 @@\n-x\n@@ -9 +9 @@\n--- y')).toEqual([
    'file',
    'file',
    'hunk',
    'removed',
    'hunk',
    'removed',
  ]);
});
