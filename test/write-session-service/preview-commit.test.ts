/** Covers what a person is shown of a file that is going to be written. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { WriteOperation } from '../../src/contracts/write-session/write-session.ts';
import type { WriteSessionRow } from '../../src/db/write-sessions/write-session-row.ts';
import { type CommitPreview, previewCommit } from '../../src/write-session-service/preview-commit.ts';
import { contentRefOf } from '../../src/write-session/content-ref.ts';
import { chunksOf, inTempStore } from '../files/support/temp-store.ts';
import { sessionInput } from '../support/scripted-session.ts';
import { inTempWorkspace } from '../tools/support/temp-workspace.ts';

interface Shown {
  readonly operation: WriteOperation;
  readonly before?: string;
  readonly text: string;
  readonly targetFile?: string;
  readonly state?: WriteSessionRow['state'];
}

const preview = async ({ operation, before, text, targetFile = 'a.md', state = 'open' }: Shown) => {
  let seen: CommitPreview | undefined;
  await inTempWorkspace({}, ({ root, workspace }) =>
    inTempStore(1_000_000, async ({ store: contents }) => {
      if (before !== undefined) await writeFile(join(root, targetFile), before);
      const input = sessionInput({ operation, targetFile });
      const { sessionId, projectId } = input;
      const content = contentRefOf(text);
      if (text !== '') await contents.put(sessionId, chunksOf(text));
      const row = { sessionId, projectId, targetFile, operation, state } as WriteSessionRow;
      const repository = { find: () => Promise.resolve(row) };
      const call = {
        id: 'c',
        type: 'function' as const,
        function: { name: 'begin', arguments: JSON.stringify({ target_file: targetFile, operation }) },
      };
      seen = await previewCommit({ repository, contents, workspace }, call, { sessionId, content });
    }),
  );
  if (!seen) throw new Error('nothing was seen');
  return seen;
};

const shown = async (what: Shown): Promise<CommitPreview & { ok: true }> => {
  const seen = await preview(what);
  if (!seen.ok) throw new Error(seen.error);
  return seen;
};

describe('what is shown of a commit', () => {
  it('is the difference between the present and the new content', async () => {
    const seen = await shown({ operation: 'overwrite', before: 'one\ntwo\n', text: 'one\nthree\n' });
    expect(seen.diff).toContain('-two\n+three\n');
    expect(seen).toMatchObject({ target: 'a.md', before: contentRefOf('one\ntwo\n').sha256 });
  });

  it('is a new file if there is none, and the end of one that is appended to', async () => {
    const made = await shown({ operation: 'create', text: 'one\n' });
    expect(made.diff).toContain('--- /dev/null');
    expect(made.before).toBeNull();
    const longer = await shown({ operation: 'append', before: 'one\n', text: 'two\n' });
    expect(longer.diff).toContain(' one\n+two\n');
  });

  it('is only sizes where nobody could read the content', async () => {
    const text = 'x'.repeat(300_000);
    const seen = await shown({ operation: 'overwrite', before: 'one', text });
    expect(seen.diff).toBe('a.md: 3 bytes → 300000 bytes');
  });

  it('has a hash of call, target and content', async () => {
    const base: Shown = { operation: 'overwrite', before: 'one\n', text: 'two\n' };
    const hashes = [
      await shown(base),
      await shown({ ...base, before: 'other\n' }),
      await shown({ ...base, text: 'other\n' }),
      await shown({ ...base, targetFile: 'b.md' }),
    ].map(({ argsHash }) => argsHash);
    expect(new Set(hashes).size).toBe(4);
    expect((await shown(base)).argsHash).toBe(hashes[0]);
  });

  it.each<[Shown, string]>([
    [{ operation: 'create', before: 'one', text: 'two' }, 'file exists: a.md'],
    [{ operation: 'append', text: 'two' }, 'missing file, nothing to append to: a.md'],
    [{ operation: 'create', text: 'x', targetFile: '../a.md' }, 'outside'],
    [{ operation: 'create', text: 'x', state: 'ended' }, 'Session not found'],
  ])('is no request when %j would fail', async (what, reason) => {
    const seen = await preview(what);
    expect(seen).toMatchObject({ ok: false, error: expect.stringContaining(reason) });
  });

  it('is nothing to ask about when the same text is there', async () => {
    expect((await shown({ operation: 'create', before: 'same', text: 'same' })).ok).toBe(true);
  });
});
