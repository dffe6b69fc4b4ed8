import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Workspace } from '../../../src/files/workspace/workspace.ts';
import { openWorkspace, type WorkspaceOptions } from '../../../src/files/workspace/open-workspace.ts';
import type { WriteFence } from '../../../src/files/workspace/write-fence.ts';

export interface TempWorkspace {
  /** The folder that contains `root` and what must not be reached. */
  readonly base: string;
  readonly root: string;
  readonly workspace: Workspace;
}

/** Runs `test` in a fresh workspace that is removed afterwards. */
export const inTempWorkspace = async (
  options: Partial<WorkspaceOptions>,
  test: (temp: TempWorkspace) => Promise<void>,
): Promise<void> => {
  const base = await mkdtemp(join(tmpdir(), 'orion-jail-'));
  const root = join(base, 'root');
  const workspace = await openWorkspace({ root, hasProjectFolders: false, ...options });
  try {
    await test({ base, root, workspace });
  } finally {
    await workspace.close();
    await rm(base, { recursive: true, force: true });
  }
};

/** Resolves to the content of a file, read through the jail. */
export const readText = (workspace: Workspace, path: string, projectId = 'p'): Promise<string> =>
  workspace.withFile(projectId, path, ({ handle }) => handle.readFile('utf8'));

/** Resolves to the number of handles that this process holds open. */
export const openHandles = async (): Promise<number> => (await readdir('/proc/self/fd')).length;

/** A store of copies that nobody wants back. */
export const discardedCopies = {
  async storeCopy(source: AsyncIterable<Uint8Array>) {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of source) {
      hash.update(chunk);
      bytes += chunk.byteLength;
    }
    return { sha256: hash.digest('hex'), bytes };
  },
};

/** Returns a right to write that nobody takes away. */
export const anyFence = (): WriteFence => ({
  writeName: randomUUID(),
  attempt: 1,
  ...discardedCopies,
  plan: () => Promise.resolve(true),
  holds: () => Promise.resolve(true),
});
