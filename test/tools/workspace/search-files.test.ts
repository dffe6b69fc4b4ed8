/** Tests what a search finds, what it refuses, and where it stops. */
import { describe, expect, it } from '@jest/globals';
import { chmod, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { createSearchFilesTool } from '../../../src/tools/workspace/search-files.ts';
import type { Workspace } from '../../../src/files/workspace/workspace.ts';
import { found, inTree, matches, matchesOf, search } from '../support/search-world.ts';
import { openHandles } from '../support/temp-workspace.ts';
import { partOf } from '../../support/part-of.ts';

/** Resolves to the children of this process, including dead ones for which nobody has waited. */
const children = async (): Promise<string[]> => {
  const tasks = await readdir('/proc/self/task');
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/self/task/${task}/children`, 'utf8').catch(() => '')),
  );
  return lists.flatMap((list) => list.split(' ').filter((pid) => pid !== ''));
};

describe('search_files: what is found', () => {
  it('path:line:text, sorted by path and line, CRLF and a BOM do not hide the edges of a line', async () => {
    await inTree(
      {
        'b.txt': 'x\nneedle 2\r\nneedle\r\n',
        'a/z.txt': 'needle\n',
        'a.txt': '\ufeffneedle',
        'B.txt': 'no',
      },
      async ({ workspace }) => {
        expect(await matches(workspace, { regex: '^needle( 2)?$' })).toEqual([
          'a.txt:1:needle',
          'a/z.txt:1:needle',
          'b.txt:2:needle 2',
          'b.txt:3:needle',
        ]);
      },
    );
  });

  it('a named file, even through a link that stays inside, by its real path', async () => {
    await inTree({ 'd/a.txt': 'needle', 'd/b.txt': 'needle' }, async ({ root, workspace }) => {
      await symlink('d/a.txt', join(root, 'short'));
      await symlink('d', join(root, 'dir'));
      expect(await matches(workspace, { path: 'd/a.txt' })).toEqual(['d/a.txt:1:needle']);
      expect(await matches(workspace, { path: 'short' })).toEqual(['d/a.txt:1:needle']);
      expect(await matches(workspace, { path: 'dir' })).toEqual(['d/a.txt:1:needle', 'd/b.txt:1:needle']);
      expect(await matches(workspace)).toEqual(['d/a.txt:1:needle', 'd/b.txt:1:needle']);
    });
  });

  it('names that look like options, globs or paths of ours', async () => {
    const names = ['-e', '--files', '[a]/x', '*/y', 'a b/{c}', '..x', 'dev/fd/3', 'ä😀', 'line\nbreak', '\\'];
    await inTree(Object.fromEntries(names.map((name) => [name, 'needle'])), async ({ workspace }) => {
      expect(await found(workspace)).toEqual(names.toSorted());
      for (const directory of ['[a]', '*', 'a b', 'dev']) {
        expect(await found(workspace, { path: directory })).toHaveLength(1);
      }
      expect(await found(workspace, { path: '[a]', file_pattern: './x' })).toEqual([]);
      expect(await found(workspace, { path: 'a b', file_pattern: '/*' })).toEqual(['a b/{c}']);
    });
  });

  it('binary files are skipped, odd bytes are made text, UTF-16 is read', async () => {
    await inTree(
      {
        'image.png': Buffer.from('needle\n\0\x01needle'),
        'late.bin': `needle\n${'x\n'.repeat(100_000)}\0`,
        'latin.txt': Buffer.from([0xe4, ...Buffer.from(' needle'), 0xff]),
        'wide.txt': Buffer.from('\ufeffa needle\n', 'utf16le'),
        'ansi.txt': '\x1b[31mneedle',
      },
      async ({ workspace }) => {
        expect(await matches(workspace)).toEqual([
          'ansi.txt:1:\x1b[31mneedle',
          'late.bin:1:needle',
          'latin.txt:1:\ufffd needle\ufffd',
          'wide.txt:1:a needle',
        ]);
        expect(await matches(workspace, { path: 'image.png' })).toEqual([]);
      },
    );
  });

  it.each([
    ['*.ts', ['src/a.ts', 'src/deep/b.ts']],
    ['src/*.ts', ['src/a.ts']],
    ['**/deep/*', ['src/deep/b.ts']],
    ['*.{ts,md}', ['c.md', 'src/a.ts', 'src/deep/b.ts']],
    ['!*.ts', ['c.md']],
  ])('file_pattern %s', async (file_pattern, files) => {
    await inTree(
      { 'src/a.ts': 'needle', 'src/deep/b.ts': 'needle', 'c.md': 'needle' },
      async ({ workspace }) => {
        expect(await found(workspace, { file_pattern })).toEqual(files);
      },
    );
  });

  it('a file_pattern with a slash counts from the directory searched, too', async () => {
    await inTree({ 'src/lib/a.ts': 'needle', 'lib/b.ts': 'needle' }, async ({ workspace }) => {
      expect(await found(workspace, { path: 'src', file_pattern: 'lib/*.ts' })).toEqual(['src/lib/a.ts']);
      expect(await found(workspace, { path: 'src', file_pattern: 'src/lib/*.ts' })).toEqual(['src/lib/a.ts']);
      expect(await found(workspace, { path: 'src', file_pattern: '!lib/*' })).toEqual([]);
    });
  });
});

describe('search_files: what is refused', () => {
  it.each([
    ['foo(', 'unclosed group'],
    ['(?=x)', 'look-around, including look-ahead and look-behind, is not supported'],
    ['(a)\\1', 'backreferences are not supported'],
    ['a\\nb', 'the literal "\\n" is not allowed in a regex'],
    ['(\\w{1000}){1000}', 'compiled regex exceeds size limit'],
    ['[z-a]', 'invalid character class range'],
  ])('regex %s: %s', async (regex, message) => {
    await inTree({ 'a.txt': 'x' }, async ({ workspace }) => {
      for (const path of ['.', 'a.txt']) {
        const outcome = await search(workspace, { path, regex });
        expect(outcome).toMatchObject({ ok: false, error: expect.stringContaining(message) });
        expect(JSON.stringify(outcome)).not.toMatch(/--pcre2|--multiline|transient|rg:/);
      }
    });
  });

  it('a file_pattern that is no glob', async () => {
    await inTree({ 'a.txt': 'x' }, async ({ workspace }) => {
      expect(await search(workspace, { file_pattern: '[a' })).toMatchObject({
        ok: false,
        error: "error parsing glob '[a': unclosed character class; missing ']'",
      });
    });
  });

  it.each([
    ['gone', 'not found: gone'],
    ['..', 'outside the workspace: ..'],
    ['/etc', 'outside the workspace: /etc'],
    ['.git', 'inside .git, which tools do not search: .git'],
    ['.git/HEAD', 'inside .git, which tools do not search: .git/HEAD'],
    ['.git/config', 'protected file (may hold secrets): .git/config'],
    ['.env', 'protected file (may hold secrets): .env'],
    ['a.txt/b', 'not a directory: a.txt/b'],
  ])('path %s: %s', async (path, message) => {
    await inTree(
      { 'a.txt': 'x', '.git/config': 'needle', '.git/HEAD': 'needle', '.env': 'needle' },
      async ({ workspace }) => {
        await expect(search(workspace, { path })).rejects.toThrow(message);
      },
    );
  });

  it.each([
    ['that is empty', ''],
    ['with a NUL byte', 'a\0b'],
    ['of 2,001 characters', 'x'.repeat(2_001)],
  ])('a pattern %s', (_name, text) => {
    const { input } = createSearchFilesTool(partOf<Workspace>({}));
    expect(input.safeParse({ path: '.', regex: text }).success).toBe(false);
    expect(input.safeParse({ path: '.', regex: 'x', file_pattern: text }).success).toBe(false);
  });

  it('an installation without ripgrep lacks only the search, and names no path', async () => {
    await inTree({}, async ({ workspace }) => {
      const program = () => Promise.resolve('/nowhere/rg');
      await expect(search(workspace, {}, { program })).rejects.toThrow(
        'the search program could not be started (ENOENT)',
      );
    });
  });
});

/** Runs `test` with a search program that lists the file `a`, then sleeps without an end. */
const withSlowProgram = (
  test: (workspace: Workspace, program: () => Promise<string>) => Promise<void>,
): Promise<void> =>
  inTree(
    {
      a: 'needle',
      slow: '#!/bin/sh\ncase "$*" in *--files*) printf "./a\\0"; exec sleep infinity;; *) printf "/dev/fd/3\\0001:needle\\n";; esac\n',
    },
    async ({ root, workspace }) => {
      await chmod(join(root, 'slow'), 0o755);
      await test(workspace, () => Promise.resolve(join(root, 'slow')));
    },
  );

describe('search_files: limits', () => {
  it('at most 300 lines, with the whole number, the same every time', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [`f${String(i).padStart(3, '0')}`, 'needle\n'.repeat(3)]),
    );
    await inTree(files, async ({ workspace }) => {
      const first = await search(workspace, {});
      expect(first).toMatchObject({
        result: {
          note: '… truncated, 300 lines of 100 files shown, 200 files match; narrow path, regex or file_pattern',
        },
      });
      for (let i = 0; i < 5; i += 1) expect(await search(workspace, {})).toEqual(first);
    });
  });

  it('exactly as many lines as are allowed are no truncation', async () => {
    await inTree({ a: 'needle\n'.repeat(300) }, async ({ workspace }) => {
      const outcome = await search(workspace, {});
      expect(outcome).toMatchObject({ ok: true, result: { matches: { length: 300 } } });
      expect(outcome).not.toHaveProperty('result.note');
    });
  });

  it('long lines are cut with a mark, and the whole answer stays below what the model may see', async () => {
    const line = `needle ${'"\\é😀'.repeat(5_000)}\n`;
    await inTree({ 'long.txt': line.repeat(400) }, async ({ workspace }) => {
      const outcome = await search(workspace, {});
      expect(Buffer.byteLength(JSON.stringify(outcome, null, 2))).toBeLessThan(31 * 1024);
      expect(outcome).toMatchObject({ result: { note: expect.stringContaining('… truncated, ') } });
      const [first = ''] = await matches(workspace);
      expect(first).toMatch(/^long\.txt:1:needle .*\[\.\.\. omitted end of long line\]$/);
      expect(first.length).toBeLessThan(600);
    });
  });

  it('patterns that are catastrophic elsewhere finish at once', async () => {
    await inTree({ a: `${'a'.repeat(200_000)}!` }, async ({ workspace }) => {
      for (const regex of ['(a*)*b', '(a|a)*$b', '(a+)+!x', '(.*)*=', '[a-z]{300}z']) {
        expect(await matches(workspace, { regex })).toEqual([]);
      }
    });
  });

  it('at the time limit what was found until then is shown, with a mark', async () => {
    await withSlowProgram(async (workspace, program) => {
      let lines: readonly string[] = [];
      // A quarter of the time is for reading, and a busy machine needs a longer quarter.
      for (const seconds of [3, 12, 48]) {
        const outcome = await search(workspace, {}, { program, timeLimitMs: seconds * 1_000 });
        const note = `… stopped after ${seconds} s, not everything was searched; narrow path or file_pattern`;
        expect(outcome).toMatchObject({ ok: true, result: { note } });
        lines = matchesOf(outcome);
        if (lines.length > 0) break;
      }
      expect(lines).toEqual(['a:1:needle']);
    });
  });

  it('a search that is cancelled rejects at once, and leaves no process and no open file', async () => {
    await withSlowProgram(async (workspace, program) => {
      const before = [await children(), await openHandles()] as const;
      const cancel = new AbortController();
      const cancelled = search(workspace, {}, { program, signal: cancel.signal });
      const reason = cancelled.catch((error: unknown) => error);
      await eventually('its program', async () => (await children()).length > before[0].length);
      cancel.abort(new Error('cancelled'));
      expect(await reason).toMatchObject({ message: 'cancelled' });
      expect([await children(), await openHandles()]).toEqual(before);
    });
  });

  it('a search that reaches its time limit leaves no process and no open file', async () => {
    await withSlowProgram(async (workspace, program) => {
      const before = [await children(), await openHandles()];
      await search(workspace, {}, { program, timeLimitMs: 1_000 });
      expect([await children(), await openHandles()]).toEqual(before);
    });
  });
});
