import { describe, expect, it } from '@jest/globals';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { OUTCOME_UNKNOWN } from '../../src/contracts/tools/tool-call.ts';
import { withFailingSync } from '../files/support/failing-sync.ts';
import { openHandles } from './support/temp-workspace.ts';
import { withTools } from './support/with-tools.ts';

const MARKER = /\n?… truncated, (\d+) of (\d+) bytes shown$/;

describe('read_file', () => {
  it.each([
    [{}, { content: '1\tone\r\n2\ttwo\n3\tthree', start_line: 1, end_line: 3, total_lines: 3 }],
    [{ start_line: 2 }, { content: '2\ttwo\n3\tthree', start_line: 2, end_line: 3 }],
    [{ end_line: 1 }, { content: '1\tone\r\n', start_line: 1, end_line: 1, total_lines: 3 }],
    [
      { start_line: 2, end_line: 2 },
      { content: '2\ttwo\n', start_line: 2, end_line: 2 },
    ],
    [
      { start_line: 3, end_line: 99 },
      { content: '3\tthree', start_line: 3, end_line: 3 },
    ],
  ])('lines %j', async (range, expected) => {
    await withTools(async (execute, { root }) => {
      await writeFile(join(root, 'f.txt'), 'one\r\ntwo\nthree');
      expect((await execute('read_file', { path: 'f.txt', ...range })).result).toMatchObject(expected);
    });
  });

  it.each([
    [{ path: 'f.txt', start_line: 4 }, 'start_line: expected at most 3, the last line of f.txt, received 4'],
    [{ path: 'f.txt', start_line: 3, end_line: 2 }, 'end_line: expected at least start_line (3), received 2'],
    [{ path: 'f.txt', start_line: 0 }, 'start_line: expected at least 1, received 0'],
    [{ path: 'f.txt', start_line: '1' }, 'start_line: expected a number, received "1"'],
    [{ path: 'gone.txt' }, 'not found: gone.txt'],
    [{ path: 'image.png' }, 'binary file, cannot be shown as text (5 bytes): image.png'],
    [{ path: '../x' }, 'outside the workspace: ../x'],
  ])('%j is refused: %s', async (args, error) => {
    await withTools(async (execute, { root }) => {
      await writeFile(join(root, 'f.txt'), 'one\ntwo\nthree\n');
      await writeFile(join(root, 'image.png'), Buffer.from([0x89, 0x50, 0, 1, 2]));
      const result = await execute('read_file', args);
      expect(result).toMatchObject({ success: false, attempts: 1 });
      expect(result.error).toContain(error);
    });
  });

  it('an empty file is empty, bytes that are no UTF-8 become U+FFFD, a late NUL is made safe', async () => {
    await withTools(async (execute, { root }) => {
      await writeFile(join(root, 'empty'), '');
      expect((await execute('read_file', { path: 'empty' })).result).toMatchObject({
        content: '',
        total_lines: 0,
      });
      await writeFile(join(root, 'latin'), Buffer.from([0x61, 0xe4, 0x62]));
      expect((await execute('read_file', { path: 'latin' })).result).toMatchObject({
        content: '1\ta\ufffdb',
      });
      await writeFile(join(root, 'late'), `${'x'.repeat(9_000)}\0end`);
      expect(JSON.stringify((await execute('read_file', { path: 'late' })).result)).not.toContain('\\u0000');
    });
  });

  it('a long file is cut at a line with the number to read on from; the pieces make up the file', async () => {
    await withTools(async (execute, { root }) => {
      const text = Array.from({ length: 3_000 }, (_, index) => `line ${index + 1} "ünï😀"\n`).join('');
      await writeFile(join(root, 'long.txt'), text);
      let pieces = '';
      let start_line: number | undefined = 1;
      while (start_line !== undefined) {
        const { result } = await execute('read_file', { path: 'long.txt', start_line });
        expect(Buffer.byteLength(JSON.stringify(result, null, 2))).toBeLessThanOrEqual(32 * 1024);
        const piece = result as { content: string; next_line?: number };
        const [, shown, total] = MARKER.exec(piece.content) ?? [];
        if (piece.next_line !== undefined) {
          expect(Number(total)).toBe(Buffer.byteLength(text) - Buffer.byteLength(pieces));
        }
        const lines = piece.content.replace(MARKER, piece.next_line === undefined ? '' : '\n');
        const ofFile = lines.replaceAll(/^\d+\t/gm, '');
        if (piece.next_line !== undefined) expect(Number(shown)).toBe(Buffer.byteLength(ofFile));
        pieces += ofFile;
        start_line = piece.next_line;
      }
      expect(pieces).toBe(text);
    });
  });

  it('any range of any text is exactly those lines', async () => {
    await withTools(async (execute, { root }) => {
      const line = fc.constantFrom('', 'a', 'é😀', '\r', '"x"');
      await fc.assert(
        fc.asyncProperty(
          fc.array(line, { minLength: 1, maxLength: 9 }),
          fc.integer({ min: 1, max: 9 }),
          fc.nat(4),
          async (lines, first, more) => {
            const text = lines.join('\n');
            await writeFile(join(root, 'f.txt'), text);
            const all = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
            fc.pre(first <= Math.max(all.length, 1));
            const { result } = await execute('read_file', {
              path: 'f.txt',
              start_line: first,
              end_line: first + more,
            });
            expect(result).toMatchObject({
              content: all
                .slice(first - 1, first + more)
                .map((one, i) => `${first + i}\t${one}`)
                .join(''),
              total_lines: all.length,
            });
          },
        ),
        { numRuns: 100 },
      );
    });
  });

  it('reads only what is needed of a huge file', async () => {
    await withTools(async (execute, { root }) => {
      await writeFile(join(root, 'huge.txt'), Buffer.alloc(50_000_000, 'x'.repeat(99) + '\n'));
      const whole = await execute('read_file', { path: 'huge.txt' });
      expect(JSON.stringify(whole.result)).toMatch(/of 50000000 bytes shown/);
      expect(whole.result).not.toHaveProperty('total_lines');
      const range = await execute('read_file', { path: 'huge.txt', start_line: 400_000, end_line: 400_001 });
      expect(range.result).toMatchObject({
        content: `400000\t${'x'.repeat(99)}\n400001\t${'x'.repeat(99)}\n`,
        end_line: 400_001,
      });
    });
  });
});

describe('list_files', () => {
  const build = async (root: string): Promise<void> => {
    for (const folder of ['src/deep', 'node_modules/x', '.git', 'dist']) {
      await mkdir(join(root, folder), { recursive: true });
    }
    for (const file of [
      'b.txt',
      'a.txt',
      'src/m.ts',
      'src/deep/n.ts',
      'node_modules/x/i.js',
      '.orion-tmp-00',
    ]) {
      await writeFile(join(root, file), '');
    }
    await symlink('/etc', join(root, 'link'));
  };

  it.each([
    [{ path: '.' }, ['a.txt', 'b.txt', 'link', 'src/', 'src/deep/', 'src/deep/n.ts', 'src/m.ts']],
    [{ path: '.', recursive: false }, ['a.txt', 'b.txt', 'link', 'src/']],
    [{ path: './src/' }, ['src/deep/', 'src/deep/n.ts', 'src/m.ts']],
    [
      { path: '.', recursive: false, no_ignore: true },
      ['.git/', 'a.txt', 'b.txt', 'dist/', 'link', 'node_modules/', 'src/'],
    ],
  ])('%j: sorted, directories marked, links not followed, temps of writes hidden', async (args, entries) => {
    await withTools(async (execute, { root }) => {
      await build(root);
      expect((await execute('list_files', args)).result).toEqual({ path: args.path, entries });
    });
  });

  it('failures are told with the path', async () => {
    await withTools(async (execute, { root }) => {
      await build(root);
      for (const [path, error] of [
        ['a.txt', 'not a directory: a.txt'],
        ['gone', 'not found: gone'],
        ['link', 'outside the workspace: link'],
        ['/', 'outside the workspace: /'],
      ]) {
        expect(await execute('list_files', { path })).toMatchObject({ success: false, error });
      }
    });
  });

  it('a large tree is cut with a note, the shallow entries are kept', async () => {
    await withTools(async (execute, { root }) => {
      await mkdir(join(root, 'aaa'));
      await Promise.all(
        Array.from({ length: 1_500 }, (_, index) => writeFile(join(root, `aaa/${index}.txt`), '')),
      );
      await writeFile(join(root, 'zzz.txt'), '');
      const { result } = await execute('list_files', { path: '.' });
      const { entries, note } = result as { entries: string[]; note: string };
      expect(entries).toHaveLength(1_000);
      expect(entries).toContain('zzz.txt');
      expect(note).toBe('… truncated, 1000 entries shown; list a sub-directory to see more');
    });
  });
});

describe('write_to_file', () => {
  it('reports bytes, lines and whether the file is new', async () => {
    await withTools(async (execute) => {
      const write = (content: string) => execute('write_to_file', { path: 'd/f.txt', content });
      expect((await write('ä\nb\n')).result).toEqual({
        path: 'd/f.txt',
        status: 'created',
        bytes: 5,
        lines: 2,
      });
      expect((await write('')).result).toEqual({
        path: 'd/f.txt',
        status: 'overwritten',
        bytes: 0,
        lines: 0,
      });
    });
  });

  it.each([
    ['150 lines', 'x\n'.repeat(150), true],
    ['151 lines', 'x\n'.repeat(150) + 'x', false],
    ['8192 bytes', 'é'.repeat(4_096), true],
    ['8193 bytes', 'é'.repeat(4_096) + 'x', false],
  ])('whether write_to_file takes %s', async (_name, content, fits) => {
    await withTools(async (execute) => {
      const result = await execute('write_to_file', { path: 'f.txt', content });
      expect(result.success).toBe(fits);
      if (fits) return;
      expect(result.error).toMatch(
        /^content too large for write_to_file \(\d+ lines, \d+ bytes; at most 150 lines and 8192 bytes\)/,
      );
      expect(await execute('read_file', { path: 'f.txt' })).toMatchObject({ error: 'not found: f.txt' });
    });
  });

  it('content that UTF-8 cannot hold is refused, not mangled', async () => {
    await withTools(async (execute) => {
      const result = await execute('write_to_file', { path: 'f.txt', content: 'a\ud800b' });
      expect(result.error).toContain('content: expected valid Unicode text');
    });
  });
});

it('no tool leaves a handle open, whatever comes of the call', async () => {
  await withTools(async (execute, { root }) => {
    await mkdir(join(root, 'a/b/c'), { recursive: true });
    await symlink('loop', join(root, 'loop'));
    const before = await openHandles();
    for (const path of ['.', 'a', 'a/b/c', 'a/b/c/f', 'loop', '../x', 'gone/x', 'a/b/../..']) {
      await execute('read_file', { path });
      await execute('list_files', { path });
      await execute('write_to_file', { path, content: 'x' });
    }
    expect(await openHandles()).toBe(before);
  });
});

it.each([
  ['write_to_file', { path: 'a.md', content: 'new' }],
  ['edit_file', { path: 'a.md', edits: [{ old: 'old', new: 'new' }] }],
] as const)(
  '%s does not say that nothing was written when only the folder cannot be synced',
  async (name, args) => {
    await withTools(async (execute, { root }) => {
      await writeFile(join(root, 'a.md'), 'old');
      await withFailingSync(async () => {
        expect(await execute(name, args)).toMatchObject({
          success: false,
          error: OUTCOME_UNKNOWN,
          details: expect.stringMatching(/^The file was replaced, .*\(EIO\).*: a\.md$/),
        });
      });
      expect(await readFile(join(root, 'a.md'), 'utf8')).toBe('new');
    });
  },
);
