/**
 * Tests `orion undo` on the processes of `npm start`, after a turn that changes files in every way that is recorded.
 */
import { afterAll, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FakeModel } from '../support/fake-model/fake-model.ts';
import { answer, answerWithCall } from '../support/fake-model/responses.ts';
import { createStateDir, runOrion } from '../support/orion-cli.ts';
import type { OrionStack } from '../support/orion-stack.ts';
import { useStack } from '../support/use-stack.ts';

let fake: FakeModel;
let stack: OrionStack;
const state = createStateDir();
useStack({}, (started) => {
  ({ stack, fake } = started);
});
afterAll(() => state.remove());

const orion = (args: readonly string[]) =>
  runOrion(args, { url: stack.baseUrl, env: { XDG_STATE_HOME: state.path } });
const path = (name: string): string => join(stack.dataDir, 'workspace', name);
const written = (name: string): Promise<string> => readFile(path(name), 'utf8');
const TEXT = Array.from({ length: 200 }, (_, i) => `Line ${i + 1} of the file\n`).join('');

describe('orion undo', () => {
  it('restores what a turn edited, wrote and created, and names what was changed since', async () => {
    await writeFile(path('undo-a.md'), 'one two\n');
    await writeFile(path('undo-b.md'), 'old\n');
    await writeFile(path('undo-c.md'), 'old\n');
    const edit = (name: string, old: string, fresh: string) =>
      answerWithCall('FileSystemTool_edit_file', { path: name, edits: [{ old, new: fresh }] });
    fake.script(
      edit('undo-a.md', 'two', '2'),
      answerWithCall('FileSystemTool_write_to_file', { path: 'undo-b.md', content: 'new\n' }),
      edit('undo-c.md', 'old', 'new'),
      answerWithCall('WritePlanTool_begin', { target_file: 'undo-d.md', operation: 'create' }),
      answer(`${TEXT}DONE\n`),
      answer('Done.'),
    );
    const turn = await orion(['-p', 'change them', '--output-format', 'json']);
    const { turnId } = JSON.parse(turn.stdout) as { turnId: string };
    const now = await Promise.all(['a', 'b', 'c', 'd'].map((name) => written(`undo-${name}.md`)));
    expect(now).toEqual(['one 2\n', 'new\n', 'new\n', TEXT]);
    await writeFile(path('undo-c.md'), 'new, and mine\n');
    const { code, stdout } = await orion(['undo', turnId]);
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: [
        '✓ undo-a.md holds again what it held before the turn',
        '✓ undo-b.md holds again what it held before the turn',
        '✗ undo-c.md — the file was changed since the turn',
        '✓ undo-d.md is removed: the turn had made it',
        '',
      ].join('\n'),
    });
    expect(await Promise.all(['a', 'b', 'c'].map((name) => written(`undo-${name}.md`)))).toEqual([
      'one two\n',
      'old\n',
      'new, and mine\n',
    ]);
    expect(existsSync(path('undo-d.md'))).toBe(false);
  });
});
