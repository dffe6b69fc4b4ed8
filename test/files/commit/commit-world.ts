import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContentRef } from '../../../src/contracts/write-session.ts';
import type { CommitOutcome } from '../../../src/contracts/payload/session-activities.ts';
import { createCommitter } from '../../../src/files/commit/committer.ts';
import type { Committer } from '../../../src/files/commit/committer.ts';
import type { ContentStore } from '../../../src/files/content-store/content-store.ts';
import { chunksOf, inTempStore } from '../content-store/temp-store.ts';
import { inTempWorkspace } from '../../tools/temp-workspace.ts';
import { MemorySessions } from './memory-sessions.ts';

export interface CommitWorld {
  readonly root: string;
  /** Of the content store. */
  readonly folder: string;
  readonly sessions: MemorySessions;
  readonly store: ContentStore;
  readonly committer: Committer;
  put(text: string): Promise<ContentRef>;
  /** One attempt; without `content` the draft. */
  commit(session: { readonly sessionId: string }, content?: ContentRef): Promise<CommitOutcome>;
  read(path: string): Promise<string>;
  /** All entries below the root. */
  entries(): Promise<string[]>;
}

const signal = new AbortController().signal;

/** Runs `test` with a committer over a fresh workspace and store. */
export const inCommitWorld = (test: (world: CommitWorld) => Promise<void>): Promise<void> =>
  inTempWorkspace({}, ({ root, workspace }) =>
    inTempStore(1_000_000, async ({ folder, store }) => {
      const sessions = new MemorySessions();
      const committer = createCommitter({ workspace, contents: store, sessions });
      await test({
        root,
        folder,
        sessions,
        store,
        committer,
        async put(text) {
          const outcome = await store.put(chunksOf(text));
          if (outcome.kind !== 'stored') throw new Error(`expected stored content, received ${outcome.kind}`);
          return outcome.content;
        },
        async commit({ sessionId }, content) {
          const input = { sessionId, firstExecutionRunId: 'run', ...(content && { content }) };
          const result = await committer.commit(input, signal);
          return result.kind === 'committed' ? { kind: 'committed', content: result.content } : result;
        },
        read: (path) => readFile(join(root, path), 'utf8'),
        entries: async () => (await readdir(root, { recursive: true })).sort(),
      });
    }),
  );
