/** Covers what a person is shown of a call, and that nothing other than this runs. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createWorkspaceTools } from '../../../src/tools/workspace/workspace-tools.ts';
import { type CallPreview, previewCall } from '../../../src/tools/run/preview-call.ts';
import { createToolRegistry, type ToolRegistry } from '../../../src/tools/registry.ts';
import { createToolRunner } from '../../../src/tools/run/runner.ts';
import { MemoryLedger } from '../support/memory-ledger.ts';
import type { Workspace } from '../../../src/files/workspace/workspace.ts';
import { openWorkspace } from '../../../src/files/workspace/open-workspace.ts';
import { discardedCopies } from '../support/temp-workspace.ts';

let root: string;
let workspace: Workspace;
let registry: ToolRegistry;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'orion-preview-'));
  workspace = await openWorkspace({ root, hasProjectFolders: false });
  registry = createToolRegistry(createWorkspaceTools(workspace));
});
afterEach(async () => {
  await workspace.close();
  rmSync(root, { recursive: true });
});

const call = (args: unknown, name = 'write_to_file') => ({
  id: 'c1',
  type: 'function' as const,
  function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
});
const preview = (args: unknown, name?: string) =>
  previewCall(registry, call(args, name), { projectId: 'p', mode: 'act' });
const shown = async (args: unknown): Promise<CallPreview> => {
  const seen = await preview(args);
  if (!seen.ok) throw new Error(seen.error);
  return seen;
};
const file = (name: string): string => join(root, name);

describe('previewCall', () => {
  it('shows what would become of a file, and changes nothing', async () => {
    writeFileSync(file('a.md'), 'one\ntwo\nthree\n');
    const seen = await shown({ path: 'a.md', content: 'one\n2\nthree\n' });
    expect(seen.target).toBe('a.md');
    expect(seen.diff).toBe('--- a.md\n+++ a.md\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n');
    expect(readFileSync(file('a.md'), 'utf8')).toBe('one\ntwo\nthree\n');
    const fresh = await shown({ path: 'new/b.md', content: 'x\n' });
    expect(fresh.diff).toBe('--- /dev/null\n+++ new/b.md\n@@ -0,0 +1,1 @@\n+x\n');
  });

  it('has another hash exactly for another tool, other arguments or another content of the file', async () => {
    writeFileSync(file('a.md'), 'one');
    const hashOf = async (args: unknown) => (await shown(args)).argsHash;
    const first = await hashOf({ path: 'a.md', content: 'x' });
    expect(await hashOf('{ "content": "x", "path": "a.md" }')).toBe(first);
    expect(await hashOf({ path: 'a.md', content: 'y' })).not.toBe(first);
    writeFileSync(file('a.md'), 'two');
    expect(await hashOf({ path: 'a.md', content: 'x' })).not.toBe(first);
    writeFileSync(file('a.md'), 'one');
    expect(await hashOf({ path: 'a.md', content: 'x' })).toBe(first);
  });

  it.each([
    [{ path: '../x', content: '' }, 'outside'],
    [{ path: '.git/config', content: '' }, '.git'],
    [{ path: 'a' }, 'invalid arguments'],
    [{ path: 'a', content: 'x\n'.repeat(151) }, 'too large'],
    [{ path: 'folder', content: 'x' }, 'directory'],
    [`{"path":"a","content":"${'x'.repeat(65_536)}"}`, 'more than anybody can approve'],
  ])('refuses %j as its execution would: %s', async (args, reason) => {
    mkdirSync(file('folder'));
    const seen = await preview(args);
    expect(seen).toMatchObject({ ok: false, error: expect.stringContaining(reason) });
  });

  it('refuses an unknown tool, and one that the mode does not allow', async () => {
    expect(await preview({}, 'nobody_knows')).toMatchObject({ ok: false });
    const planned = await previewCall(registry, call({ path: 'a', content: 'x' }), {
      projectId: 'p',
      mode: 'plan',
    });
    expect(planned).toMatchObject({ ok: false });
  });

  it('shows no secret, and compares nothing that is large or no text', async () => {
    for (const [name, content] of [
      ['.env', 'TOKEN=hunter2'],
      ['big.md', 'x'.repeat(300_000)],
      ['binary', 'a\0b'],
    ] as const) {
      writeFileSync(file(name), content);
      const seen = await shown({ path: name, content: 'y' });
      expect(seen.diff).toBe(`${name}: ${content.length} bytes → 1 bytes`);
    }
  });
});

describe('previewCall of an edit', () => {
  const edit = (path: string, old: string, fresh: string) =>
    preview({ path, edits: [{ old, new: fresh }] }, 'edit_file');

  it('shows the lines around its places, however large the file is, and changes nothing', async () => {
    const lines = Array.from({ length: 40_000 }, (_, i) => `line ${i + 1}\n`).join('');
    writeFileSync(file('big.md'), lines);
    expect(await edit('big.md', 'line 30000\n', 'changed\n')).toMatchObject({
      ok: true,
      target: 'big.md',
      diff:
        '--- big.md\n+++ big.md\n@@ -29997,7 +29997,7 @@\n line 29997\n line 29998\n line 29999\n' +
        '-line 30000\n+changed\n line 30001\n line 30002\n line 30003\n',
    });
    expect(readFileSync(file('big.md'), 'utf8')).toBe(lines);
  });

  it('has another hash once the file is another', async () => {
    writeFileSync(file('a.md'), 'one two');
    const first = await edit('a.md', 'one', '1');
    writeFileSync(file('a.md'), 'one two three');
    const second = await edit('a.md', 'one', '1');
    expect([first.ok, second.ok]).toEqual([true, true]);
    expect(Reflect.get(first, 'argsHash')).not.toBe(Reflect.get(second, 'argsHash'));
  });

  it.each([
    ['a.md', 'three', 'expected 1 place in a.md, received none'],
    ['.env', 'TOKEN', 'protected file (may hold secrets)'],
    ['gone.md', 'x', 'not found: gone.md'],
    ['.git/config', 'x', '.git'],
  ])('of %s is refused as its execution would be: %s', async (path, old, reason) => {
    writeFileSync(file('a.md'), 'one two');
    writeFileSync(file('.env'), 'TOKEN=hunter2');
    const seen = await edit(path, old, 'new');
    expect(seen).toMatchObject({ ok: false, error: expect.stringContaining(reason) });
    expect(JSON.stringify(seen)).not.toContain('hunter2');
  });
});

describe('the runner', () => {
  const execute = (args: unknown, argsHash: string, name?: string) =>
    createToolRunner({
      registry,
      copies: discardedCopies,
      ledger: new MemoryLedger(),
      clock: { now: () => 0 },
    }).execute(call(args, name), {
      turnId: 't',
      projectId: 'p',
      mode: 'act',
      phaseIndex: 1,
      position: 0,
      signal: new AbortController().signal,
      approval: { inputId: 't/1', once: true, argsHash },
    });

  it('runs what was approved', async () => {
    const args = { path: 'a.md', content: 'x' };
    const { argsHash } = await shown(args);
    expect(await execute(args, argsHash)).toMatchObject({ success: true });
    expect(readFileSync(file('a.md'), 'utf8')).toBe('x');
  });

  it('does nothing when the file of an edit was changed after the approval, even if the text is still there', async () => {
    writeFileSync(file('a.md'), 'one two');
    const args = { path: 'a.md', edits: [{ old: 'one', new: '1' }] };
    const seen = await preview(args, 'edit_file');
    if (!seen.ok) throw new Error(seen.error);
    writeFileSync(file('a.md'), 'one two three');
    expect(await execute(args, seen.argsHash, 'edit_file')).toMatchObject({
      success: false,
      attempts: 0,
      error: 'The file changed after it was approved.',
    });
    expect(readFileSync(file('a.md'), 'utf8')).toBe('one two three');
    const again = await preview(args, 'edit_file');
    expect(again.ok && (await execute(args, again.argsHash, 'edit_file')).success).toBe(true);
    expect(readFileSync(file('a.md'), 'utf8')).toBe('1 two three');
  });

  it('does nothing when the file was changed after it was approved', async () => {
    const args = { path: 'a.md', content: 'x' };
    const { argsHash } = await shown(args);
    writeFileSync(file('a.md'), 'somebody was faster');
    expect(await execute(args, argsHash)).toMatchObject({
      success: false,
      error: 'The file changed after it was approved.',
      attempts: 0,
    });
    expect(readFileSync(file('a.md'), 'utf8')).toBe('somebody was faster');
  });
});
