import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContentRef } from '../../../src/contracts/write-session/write-session.ts';
import type { CommitOutcome } from '../../../src/contracts/write-session/session-messages.ts';
import { createCommitter, type Committer } from '../../../src/files/commit/committer.ts';
import type { ContentStore } from '../../../src/files/content-store/content-store.ts';
import type { Workspace } from '../../../src/files/workspace/workspace.ts';
import { contentRefOf } from '../../../src/write-session/content-ref.ts';
import { chunksOf, inTempStore } from './temp-store.ts';
import { inTempWorkspace } from '../../tools/support/temp-workspace.ts';
import { MemorySessions } from './memory-sessions.ts';

export interface CommitWorld {
  readonly root: string;
  /** The folder of the content store. */
  readonly folder: string;
  readonly sessions: MemorySessions;
  readonly store: ContentStore;
  readonly committer: Committer;
  readonly workspace: Workspace;
  /** Stores content that belongs to every session which commits it. */
  put(text: string): Promise<ContentRef>;
  /** Stores content for one session. */
  provide(session: { readonly sessionId: string }, content: ContentRef): Promise<void>;
  /** Runs one attempt; without `content` it commits the draft. */
  commit(session: { readonly sessionId: string }, content?: ContentRef): Promise<CommitOutcome>;
  read(path: string): Promise<string>;
  /** Resolves to all entries below the root. */
  entries(): Promise<string[]>;
}

const signal = new AbortController().signal;

/** Runs `test` with a committer over a fresh workspace and store. */
export const inCommitWorld = (test: (world: CommitWorld) => Promise<void>): Promise<void> =>
  inTempWorkspace({}, ({ root, workspace }) =>
    inTempStore(1_000_000, async ({ folder, store }) => {
      const sessions = new MemorySessions();
      const committer = createCommitter({ workspace, contents: store, sessions });
      const texts = new Map<string, string>();
      const provided = new Set<string>();
      const provide: CommitWorld['provide'] = async ({ sessionId }, { sha256 }) => {
        const text = texts.get(sha256);
        if (text === undefined || provided.has(sessionId + sha256)) return;
        provided.add(sessionId + sha256);
        await store.put(sessionId, chunksOf(text));
      };
      await test({
        root,
        folder,
        sessions,
        store,
        committer,
        workspace,
        put(text) {
          const content = contentRefOf(text);
          texts.set(content.sha256, text);
          return Promise.resolve(content);
        },
        provide,
        async commit({ sessionId }, content) {
          if (content) await provide({ sessionId }, content);
          const input = { sessionId, firstExecutionRunId: 'run', ...(content && { content }) };
          const result = await committer.commit(input, signal);
          return result.kind === 'committed' ? { kind: 'committed', content: result.content } : result;
        },
        read: (path) => readFile(join(root, path), 'utf8'),
        entries: async () => (await readdir(root, { recursive: true })).sort(),
      });
    }),
  );
