/** Checks that random rules hide what git hides, and stay within their bound on work. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { parsePattern } from '../../../src/files/ignore/ignore-pattern.ts';
import { matchesPath } from '../../../src/files/ignore/match-path.ts';
import { listTree } from '../../../src/files/workspace/tree.ts';
import type { Workspace } from '../../../src/files/workspace/workspace.ts';
import { openWorkspace } from '../../../src/files/workspace/open-workspace.ts';

const NAMES = ['a', 'b', 'ab', 'a.b', 'a b', '[a]', '!a', '#a'];

const piece = fc.constantFrom(
  'a',
  'b',
  'ab',
  '.',
  '*',
  '**',
  '***',
  '/',
  '?',
  '[ab]',
  '[!a]',
  '[^/]',
  '[a-',
  '[]a]',
  '[[:alpha:]]',
  '[[:nope:]]',
  '[a\\]b]',
  '\\',
  '\\ ',
  ' ',
  '!',
  '#',
  '-',
  'a/',
  '**/',
  '/**',
  '\\*',
  '[',
  ']',
  '\\/',
);
const line = fc
  .tuple(fc.constantFrom('', '', '', '!', '/'), fc.array(piece, { minLength: 1, maxLength: 6 }))
  .map(([start, pieces]) => start + pieces.join(''))
  // These texts are left out because git itself is wrong on them: it forgets what it compared before the first
  // wildcard, reads the stars of `a**/b` as if they stood by themselves, and does not let those of `**\/b` match
  // nothing. An exclamation mark before the stars is a letter too, unless it begins the line.
  .filter((text) => !/[^/*!]\*\*|.!\*\*|\*\*\\\//.test(text));
const ignoreFile = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 5 }), fc.constantFrom('\n', '\r\n'))
  .map(([lines, end]) => lines.join(end) + end);

describe('ignore rules', () => {
  let root: string;
  let workspace: Workspace;
  const git = (...args: string[]) =>
    spawnSync('git', ['-C', root, '-c', 'core.quotePath=false', '-c', 'core.excludesFile=', ...args]);

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'orion-ignore-'));
    for (const outer of NAMES) {
      await mkdir(join(root, `in-${outer}`, 'a'), { recursive: true });
      await mkdir(join(root, outer, 'ab', 'b'), { recursive: true });
      for (const inner of NAMES) {
        await writeFile(join(root, `in-${outer}`, 'a', inner), '');
        await writeFile(join(root, outer, inner === 'ab' ? 'aab' : inner), '');
        await writeFile(join(root, outer, 'ab', inner === 'b' ? 'bb' : inner), '');
      }
      await writeFile(join(root, outer, 'ab', 'b', 'a'), '');
    }
    git('init', '-q');
    workspace = await openWorkspace({ root, hasProjectFolders: false });
  });
  afterAll(async () => {
    await workspace.close();
    await rm(root, { recursive: true, force: true });
  });

  const listed = async (): Promise<string[]> => {
    const options = { depth: 99, includesIgnored: false, limit: 10_000 };
    const { paths } = await listTree(workspace, 'p', '.', options);
    return paths.filter((path) => !path.endsWith('/'));
  };

  it('hide what git hides', async () => {
    await fc.assert(
      fc.asyncProperty(ignoreFile, ignoreFile, async (outer, inner) => {
        await writeFile(join(root, '.gitignore'), outer);
        await writeFile(join(root, 'ab', '.gitignore'), inner);
        const files = git('ls-files', '-z', '--others', '--exclude-standard').stdout.toString().split('\0');
        expect(await listed()).toEqual(files.filter((file) => file !== '').sort());
      }),
      { numRuns: 100 },
    );
  });

  it('cost at most the product of the lengths of pattern and path', () => {
    const pattern = fc.array(fc.constantFrom('a', '*', '?', '**/', '/', '[ab]', 'b'), { maxLength: 60 });
    const path = fc.array(fc.stringMatching(/^[ab]{1,12}$/), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(pattern, path, (pieces, names) => {
        const text = pieces.join('');
        const budget = { left: Number.MAX_SAFE_INTEGER };
        matchesPath(parsePattern(text) ?? [], names, 0, budget);
        const spent = Number.MAX_SAFE_INTEGER - budget.left;
        expect(spent).toBeLessThanOrEqual(4 * (text.length + 1) * (names.join('/').length + 1));
      }),
      { numRuns: 2_000 },
    );
  });
});
