/** Covers the tool around the edits: which files it takes, how it writes, what the model reads. */
import { describe, expect, it } from '@jest/globals';
import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEditFileTool } from '../../../src/tools/workspace/edit-file.ts';
import { anyFence, inTempWorkspace } from '../support/temp-workspace.ts';
import { withTools } from '../support/with-tools.ts';

const one = (old: string, fresh: string, more: object = {}) => ({ edits: [{ old, new: fresh, ...more }] });

describe('edit_file', () => {
  it('replaces exact text and answers with the diff', async () => {
    await withTools(async (execute, { root }) => {
      await writeFile(join(root, 'calc.js'), 'const a = 1;\nconst b = 2;\n');
      const { success, result } = await execute('edit_file', { path: 'calc.js', ...one('b = 2', 'b = 3') });
      expect([success, result]).toEqual([
        true,
        {
          path: 'calc.js',
          edits: 1,
          bytes: 26,
          added: 1,
          removed: 1,
          diff: '--- calc.js\n+++ calc.js\n@@ -1,2 +1,2 @@\n const a = 1;\n-const b = 2;\n+const b = 3;\n',
        },
      ]);
      expect(await readFile(join(root, 'calc.js'), 'utf8')).toBe('const a = 1;\nconst b = 3;\n');
    });
  });

  it('keeps the mode of the file and the link that leads to it', async () => {
    await withTools(async (execute, { root }) => {
      await mkdir(join(root, 'bin'));
      await writeFile(join(root, 'bin/run.sh'), 'echo one\n');
      await chmod(join(root, 'bin/run.sh'), 0o751);
      await symlink('bin/run.sh', join(root, 'run'));
      expect(await execute('edit_file', { path: 'run', ...one('one', 'two') })).toMatchObject({
        success: true,
      });
      expect(await readFile(join(root, 'bin/run.sh'), 'utf8')).toBe('echo two\n');
      expect((await stat(join(root, 'bin/run.sh'))).mode & 0o777).toBe(0o751);
      expect((await lstat(join(root, 'run'))).isSymbolicLink()).toBe(true);
      expect(await readdir(join(root, 'bin'))).toEqual(['run.sh']);
    });
  });

  it.each<[what: string, args: object, error: string]>([
    ['a file that is not there', { path: 'gone.txt', ...one('a', 'b') }, 'not found: gone.txt'],
    ['a directory', { path: 'folder', ...one('a', 'b') }, 'is a directory: folder'],
    [
      'a binary file',
      { path: 'image.png', ...one('a', 'b') },
      'binary file, cannot be edited as text (5 bytes): image.png',
    ],
    [
      'a file of 50 MB',
      { path: 'huge.txt', ...one('a', 'b') },
      'file too large to edit: expected at most 10485760 bytes, received 50000000: huge.txt',
    ],
    ['a secret', { path: '.env', ...one('hunter', 'x') }, 'protected file (may hold secrets)'],
    [
      'a secret behind a link',
      { path: 'plain.txt', ...one('hunter', 'x') },
      'protected file (may hold secrets)',
    ],
    ['files of git', { path: '.git/config', ...one('a', 'b') }, 'inside .git, which tools do not write'],
    ['skills', { path: '.orion/skills/a.md', ...one('a', 'b') }, 'inside .orion, which tools do not write'],
    ['what lies outside', { path: '../x', ...one('a', 'b') }, 'outside the workspace: ../x'],
    ['no edit', { path: 'f.txt', edits: [] }, 'edits: expected at least 1 item'],
    [
      '51 edits',
      { path: 'f.txt', edits: Array.from({ length: 51 }, (_, i) => ({ old: `${i}`, new: '' })) },
      'edits: expected at most 50 items',
    ],
    [
      '33 KiB',
      { path: 'f.txt', ...one('a', 'x'.repeat(33 * 1024)) },
      'edits: expected at most 32768 bytes of old and new together',
    ],
    ['an empty text', { path: 'f.txt', ...one('', 'b') }, 'edits.0.old: expected at least 1 character'],
    ['the same text', { path: 'f.txt', ...one('a', 'a') }, 'edits.0.new: expected another text than old'],
    ['NUL', { path: 'f.txt', ...one('a', 'a\0') }, 'edits.0.new: expected valid Unicode text'],
    [
      'half a character',
      { path: 'f.txt', ...one('a', '\ud800') },
      'edits.0.new: expected valid Unicode text',
    ],
    [
      'no place at all',
      { path: 'f.txt', ...one('a', 'b', { expect: 0 }) },
      'edits.0.expect: expected at least 1',
    ],
    [
      'names of other tools',
      { path: 'f.txt', old_string: 'a', new_string: 'b' },
      'old_string: expected no such argument',
    ],
  ])('refuses %s', async (_what, args, error) => {
    await withTools(async (execute, { root }) => {
      for (const folder of ['folder', '.git', '.orion/skills']) {
        await mkdir(join(root, folder), { recursive: true });
      }
      for (const name of ['.git/config', '.orion/skills/a.md', 'f.txt']) {
        await writeFile(join(root, name), 'a');
      }
      await writeFile(join(root, '.env'), 'TOKEN=hunter2');
      await symlink('.env', join(root, 'plain.txt'));
      await writeFile(join(root, 'image.png'), Buffer.from([0x89, 0x50, 0, 0x61, 2]));
      await writeFile(join(root, 'huge.txt'), '');
      await truncate(join(root, 'huge.txt'), 50_000_000);
      const result = await execute('edit_file', args);
      expect(result).toMatchObject({ success: false, attempts: 1, error: expect.stringContaining(error) });
      expect(JSON.stringify(result)).not.toContain('hunter2');
    });
  });

  it('refuses an edit that would make the file too large', async () => {
    await withTools(async (execute, { root }) => {
      const full = Buffer.alloc(10 * 1024 * 1024, 'x');
      full.write('a', 77);
      await writeFile(join(root, 'full.txt'), full);
      expect(await execute('edit_file', { path: 'full.txt', ...one('a', 'bc') })).toMatchObject({
        success: false,
        error: expect.stringContaining('expected at most 10485760 bytes, received 10485761: full.txt'),
      });
    });
  });

  it('shows the file as it is, numbered, where a text was not found', async () => {
    await withTools(async (execute, { root }) => {
      const lines = Array.from({ length: 40 }, (_, i) => `const value${i + 1} = ${(i + 1) * 7};`);
      await writeFile(join(root, 'f.js'), `${lines.join('\n')}\n`);
      const stale = await execute('edit_file', { path: 'f.js', ...one('const value20 = 141;', 'x') });
      expect(stale.details).toEqual({
        nearest: [
          {
            edit: 0,
            lines: Array.from(
              { length: 7 },
              (_, i) => `${i + 17}\tconst value${i + 17} = ${(i + 17) * 7};`,
            ).join('\n'),
          },
        ],
      });
      const spaced = await execute('edit_file', {
        path: 'f.js',
        ...one('  const value3  = 21;\n  const value4 = 28;', 'x'),
      });
      expect(spaced.details).toMatchObject({ nearest: [{ edit: 0, note: 'only white space differs' }] });
      const foreign = await execute('edit_file', { path: 'f.js', ...one('Приве́т', 'x') });
      expect(foreign.details).toEqual({ nearest: [{ edit: 0, note: 'nothing in the file is like it' }] });
      const long = await execute('edit_file', {
        path: 'f.js',
        ...one(lines.join('\n').replace('35 =', '35=='), 'x'),
      });
      const { nearest } = long.details as { nearest: { lines: string }[] };
      expect(nearest[0]?.lines.split('\n')).toHaveLength(20);
      expect(nearest[0]?.lines).toContain('35\tconst value35 = 245;');
    });
  });

  it('does not write a file that somebody changes between the look and the write', async () => {
    await inTempWorkspace({}, async ({ root, workspace }) => {
      await writeFile(join(root, 'a.md'), 'one two');
      const tool = createEditFileTool(workspace);
      const fence = {
        ...anyFence(),
        // Called once the new content is whole.
        plan: async () => {
          await writeFile(join(root, 'a.md'), 'one two, and more');
          return true;
        },
      };
      const { signal } = new AbortController();
      const input = tool.input.parse({ path: 'a.md', ...one('one', '1') });
      const context = { turnId: 't', projectId: 'p', signal, fence };
      await expect(tool.execute(input, context)).rejects.toMatchObject({
        code: 'changed',
        isTransient: true,
      });
      expect(await readFile(join(root, 'a.md'), 'utf8')).toBe('one two, and more');
      expect(await readdir(root)).toEqual(['a.md']);
    });
  });
});
