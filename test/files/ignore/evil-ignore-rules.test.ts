/**
 * Checks that rules which anybody with write access may choose cost a listing little, and do not block the event loop.
 */
import { describe, expect, it } from '@jest/globals';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createReadSurroundings } from '../../../src/prompts/surroundings.ts';
import { listTree } from '../../../src/files/workspace/tree.ts';
import type { Workspace } from '../../../src/files/workspace/workspace.ts';
import { longestStall } from '../../support/longest-stall.ts';
import { inTempWorkspace } from '../../tools/support/temp-workspace.ts';
import { cpuAdjustedNow } from '../../support/own-time.ts';

const DEPTH = 40;
/** A backtracking matcher takes seconds and more, a linear one milliseconds. */
const STALL_MS = 1_000;

const deepFolder = (root: string): Promise<unknown> =>
  mkdir(join(root, 'a/'.repeat(DEPTH)), { recursive: true });

const listAll = (workspace: Workspace) =>
  listTree(workspace, 'p', '.', { depth: 99, includesIgnored: false, limit: 1_000 });

describe('ignore rules', () => {
  it.each([
    ['many `**/` before a name that is not there', `${'**/a/'.repeat(8)}**/b\n`],
    ['many `*` in one name', `${'*a'.repeat(200)}*b\n`.repeat(100)],
    ['many `*` in each of many names', `${`**/${'*a'.repeat(20)}*b/`.repeat(6)}x\n`.repeat(20)],
  ])('%s do not stop the event loop', async (_what, rules) => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      await deepFolder(root);
      await writeFile(join(root, 'a'.repeat(255)), '');
      await writeFile(join(root, '.gitignore'), rules);
      expect(await longestStall(() => listAll(workspace))).toBeLessThan(STALL_MS);
      expect((await listAll(workspace)).paths).toHaveLength(DEPTH + 2);
    });
  });

  it('that cost much for each of many names are given up, entry by entry', async () => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      await writeFile(join(root, '.gitignore'), `*${'a'.repeat(120)}b*\n`.repeat(2_000));
      for (let i = 100; i < 200; i += 1) await writeFile(join(root, `${'a'.repeat(250)}${i}`), '');
      const startedAt = cpuAdjustedNow();
      expect((await listAll(workspace)).paths).toHaveLength(101);
      // Matching to the end would take a third of a second for each of the hundred names.
      expect(cpuAdjustedNow() - startedAt).toBeLessThan(10_000);
    });
  });

  it('cost a turn next to nothing when ten thousand of them are harmless, and hide what they name', async () => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      const rules = Array.from({ length: 10_000 }, (_, i) =>
        i % 3 === 0 ? `name-${i}/` : i % 3 === 1 ? `*.ending${i}` : `/folder/file-${i}.txt`,
      );
      await writeFile(join(root, '.gitignore'), `${rules.join('\n')}\n`);
      for (let i = 0; i < 20; i += 1) await writeFile(join(root, `${i}.ending${3 * i + 1}`), '');
      await writeFile(join(root, 'seen.txt'), '');
      const times = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const startedAt = cpuAdjustedNow();
          expect((await createReadSurroundings(workspace)('p')).files).toEqual(['.gitignore', 'seen.txt']);
          return cpuAdjustedNow() - startedAt;
        }),
      );
      expect(Math.min(...times)).toBeLessThan(STALL_MS);
    });
  });
});
