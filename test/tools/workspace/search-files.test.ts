import { describe, expect, it } from '@jest/globals';
import { chmod, link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { createSearchFilesTool, type SearchFilesOptions } from '../../../src/tools/workspace/search-files.ts';
import type { ToolOutcome } from '../../../src/tools/tool.ts';
import type { Workspace } from '../../../src/files/workspace/workspace.ts';
import { listTree } from '../../../src/files/workspace/tree.ts';
import { anyFence, inTempWorkspace, openHandles, type TempWorkspace } from '../support/temp-workspace.ts';
import { partOf } from '../../support/part-of.ts';

const put = async (root: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> => {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
};

interface Asked {
  readonly path?: string;
  readonly regex?: string;
  readonly file_pattern?: string;
  readonly no_ignore?: boolean;
}

const search = (
  workspace: Workspace,
  asked: Asked,
  { signal = new AbortController().signal, ...options }: SearchFilesOptions & { signal?: AbortSignal } = {},
): Promise<ToolOutcome> => {
  const tool = createSearchFilesTool(workspace, options);
  const input = tool.input.parse({ path: '.', regex: 'needle', ...asked });
  return tool.execute(input, { turnId: 't', projectId: 'p', signal, fence: anyFence() });
};

const matches = async (workspace: Workspace, asked: Asked = {}): Promise<readonly string[]> =>
  matchesOf(await search(workspace, asked));

const matchesOf = (outcome: ToolOutcome): readonly string[] => {
  if (!outcome.ok) throw new Error(outcome.error);
  return (outcome.result as { matches: string[] }).matches;
};

/** Resolves to the files in which something was found. */
const found = async (workspace: Workspace, asked: Asked = {}): Promise<readonly string[]> => [
  ...new Set((await matches(workspace, asked)).map((match) => match.replace(/:\d+:.*$/s, ''))),
];

const inTree = (
  files: Readonly<Record<string, string | Buffer>>,
  test: (temp: TempWorkspace) => Promise<void>,
  options = {},
): Promise<void> =>
  inTempWorkspace(options, async (temp) => {
    await put(temp.root, files);
    await test(temp);
  });

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

describe('search_files: what is hidden', () => {
  const TREE = {
    '.gitignore': '*.log\n/only-here/\n!dist/\n',
    'a.txt': 'needle',
    'a.log': 'needle',
    '.hidden': 'needle',
    '.ignore': 'a.txt\n',
    '.rgignore': 'a.txt\n',
    'only-here/x': 'needle',
    'sub/only-here/x': 'needle',
    'sub/.gitignore': 'y.txt\n/z.txt\n!keep.log\n',
    'sub/y.txt': 'needle',
    'sub/z.txt': 'needle',
    'sub/deep/y.txt': 'needle',
    'sub/deep/z.txt': 'needle',
    'sub/keep.log': 'needle',
    'dist/x': 'needle',
    'sub/dist/x': 'needle',
    'node_modules/m/i.js': 'needle',
    '.git/config': 'needle',
    'sub/.git': 'needle',
    '.env': 'needle',
    'sub/.ENV.local': 'needle',
    id_rsa: 'needle',
    'tls.KEY': 'needle',
    '.orion-tmp-00': 'needle',
  };

  const SHOWN = [
    '.hidden',
    'a.txt',
    'dist/x',
    'sub/deep/z.txt',
    'sub/dist/x',
    'sub/keep.log',
    'sub/only-here/x',
  ];

  it('the rules of list_files, each .gitignore anchored to its folder, from every directory', async () => {
    await inTree(TREE, async ({ workspace }) => {
      expect(await found(workspace)).toEqual(SHOWN);
      for (const path of ['sub', 'sub/deep', 'sub/dist', 'dist', 'only-here']) {
        for (const no_ignore of [false, true]) {
          const options = { depth: Infinity, includesIgnored: no_ignore, limit: 1_000 };
          const listed = (await listTree(workspace, 'p', path, options)).paths.filter(
            (entry) => !entry.endsWith('/') && !/\.gitignore|\.git$|ENV/.test(entry),
          );
          expect(await found(workspace, { path, no_ignore })).toEqual(listed);
        }
      }
    });
  });

  it('no_ignore shows what rules hide, never .git, secrets or unfinished writes, whatever the pattern', async () => {
    await inTree(TREE, async ({ workspace }) => {
      const all = await found(workspace, { no_ignore: true });
      expect(all).toEqual(
        expect.arrayContaining([...SHOWN, 'a.log', 'node_modules/m/i.js', 'only-here/x', 'sub/y.txt']),
      );
      for (const file_pattern of [
        '**',
        '.git/**',
        '.env*',
        '.ENV*',
        '*.KEY',
        'id_rsa',
        '.orion-tmp-*',
        '**/.git',
      ]) {
        for (const no_ignore of [true, false]) {
          for (const file of await found(workspace, { file_pattern, no_ignore })) {
            expect(file).not.toMatch(/\.git\/|\.git$|\.env|id_rsa|\.key$|\.orion-tmp/i);
          }
        }
      }
    });
  });

  it('a file_pattern takes back no rule', async () => {
    await inTree(TREE, async ({ workspace }) => {
      expect(await found(workspace, { file_pattern: '*.log' })).toEqual(['sub/keep.log']);
      expect(await found(workspace, { file_pattern: '**' })).toEqual(SHOWN);
    });
  });

  it('the number of matching files does not reveal what secret files hold', async () => {
    const many = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`f${i}`, 'needle']));
    await inTree({ ...many, '.env': 'needle', '.git/x': 'needle' }, async ({ workspace }) => {
      expect(await search(workspace, {})).toMatchObject({
        ok: true,
        result: { note: expect.stringContaining('400 files match') },
      });
    });
  });

  it('rules above the root do not count, and no name of a rules file is left behind', async () => {
    await inTree({ 'a.txt': 'needle' }, async ({ base, workspace }) => {
      await writeFile(join(base, '.gitignore'), '*\n');
      await writeFile(join(base, '.ignore'), '*\n');
      expect(await found(workspace)).toEqual(['a.txt']);
    });
  });

  it('each project sees its own folder', async () => {
    await inTree(
      { 'one/a.txt': 'needle', 'two/b.txt': 'needle', 'p/c.txt': 'needle' },
      async ({ root, workspace }) => {
        await symlink('../one', join(root, 'p/other'));
        expect(await found(workspace)).toEqual(['c.txt']);
        await expect(search(workspace, { path: 'other' })).rejects.toThrow('outside the workspace: other');
      },
      { hasProjectFolders: true },
    );
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

/** Runs `test` with a search program that lists the file `a`, then sleeps for a minute. */
const withSlowProgram = (
  test: (workspace: Workspace, program: () => Promise<string>) => Promise<void>,
): Promise<void> =>
  inTree(
    {
      a: 'needle',
      slow: '#!/bin/sh\ncase "$*" in *--files*) printf "./a\\0"; exec sleep 60;; *) printf "/dev/fd/3\\0001:needle\\n";; esac\n',
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
      const startedAt = Date.now();
      const cancel = new AbortController();
      const cancelled = search(workspace, {}, { program, signal: cancel.signal });
      const reason = cancelled.catch((error: unknown) => error);
      await eventually('its program', async () => (await children()).length > before[0].length);
      cancel.abort(new Error('cancelled'));
      expect(await reason).toMatchObject({ message: 'cancelled' });
      // The program would sleep for a minute.
      expect(Date.now() - startedAt).toBeLessThan(30_000);
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

describe('search_files and the jail', () => {
  it('a link that is swapped in between search and read is not read; a hard link is a file of its own', async () => {
    await inTree({ 'd/a.txt': 'needle' }, async ({ base, root, workspace }) => {
      await writeFile(join(base, 'outside.txt'), 'needle OUTSIDE');
      await link(join(base, 'outside.txt'), join(root, 'hard.txt'));
      await symlink('../outside.txt', join(root, 'out.txt'));
      await symlink('..', join(root, 'up'));
      await symlink('../../outside.txt', join(root, 'd/out.txt'));
      // Stands in for the first pass at the moment of the swap: it names all that a walk by path could name.
      const names = [
        'out.txt',
        'up/outside.txt',
        '../outside.txt',
        'd/out.txt',
        'd/../../outside.txt',
        'd/a.txt',
      ];
      const liar = join(base, 'liar');
      const real = await import('@vscode/ripgrep');
      const print = names.map((name) => `./${name}\\0`).join('');
      await writeFile(
        liar,
        `#!/bin/sh\ncase "$*" in *--files-with-matches*) printf '${print}';; *) exec ${real.rgPath} "$@";; esac\n`,
      );
      await chmod(liar, 0o755);
      const outcome = await search(workspace, {}, { program: () => Promise.resolve(liar) });
      expect(outcome).toEqual({ ok: true, result: { path: '.', matches: ['d/a.txt:1:needle'] } });
      expect(await matches(workspace)).toEqual(['d/a.txt:1:needle', 'hard.txt:1:needle OUTSIDE']);
    });
  });
});
