import { BEGIN_WRITE_SESSION } from '../contracts/tools/built-in-tools.ts';
import type { ToolCall } from '../contracts/tools/tool-call.ts';
import { WRITE_SESSION_TEXTS } from '../contracts/write-session/write-session-texts.ts';
import type { ContentRef } from '../contracts/write-session/write-session.ts';
import type { WriteSessionRow } from '../db/write-sessions/write-session-row.ts';
import { targetMisfit } from '../files/commit/target-misfit.ts';
import type { ContentStore } from '../files/content-store/content-store.ts';
import { type TargetBefore, MAX_PREVIEWED_BYTES } from '../files/workspace/target-before.ts';
import { WorkspaceError } from '../files/workspace/workspace-error.ts';
import type { Workspace } from '../files/workspace/workspace.ts';
import { fileDiff, sizeChangeText } from '../tools/file-diff.ts';
import { approvalHash } from '../tools/run/preview-call.ts';
import type { CommitSubject } from '../contracts/inputs/input-request.ts';

export interface PreviewCommitDeps {
  readonly repository: { find(sessionId: string): Promise<WriteSessionRow | undefined> };
  readonly contents: Pick<ContentStore, 'open'>;
  readonly workspace: Pick<Workspace, 'readTargetBefore'>;
}

/** The preview of a commit. `before` is the SHA-256 of the target, or null if there is none. */
export type CommitPreview =
  | {
      readonly ok: true;
      readonly target: string;
      readonly argsHash: string;
      readonly diff: string;
      readonly before: string | null;
    }
  /** The commit would fail now, for this reason. */
  | { readonly ok: false; readonly error: string };

/**
 * Returns the change that the commit of a session would make to its target, or the reason why the commit would fail
 * now. Nothing is changed. Rejects with errors other than WorkspaceError.
 */
export const previewCommit = async (
  deps: PreviewCommitDeps,
  call: ToolCall,
  { sessionId, content }: CommitSubject,
): Promise<CommitPreview> => {
  const row = await deps.repository.find(sessionId);
  if (!row || row.state === 'ended') return { ok: false, error: WRITE_SESSION_TEXTS.sessionNotFound };
  const { targetFile: target } = row;
  try {
    const targetBefore = await deps.workspace.readTargetBefore(row.projectId, target);
    const misfit = targetMisfit(row, targetBefore, content);
    if (misfit !== undefined) return { ok: false, error: misfit };
    const before = targetBefore?.sha256 ?? null;
    const shown = { target: { path: target, sha256: before }, content: content.sha256 };
    const argsHash = approvalHash(BEGIN_WRITE_SESSION, call.function.arguments, shown);
    return { ok: true, target, argsHash, before, diff: await computeDiff(deps, row, targetBefore, content) };
  } catch (error) {
    if (error instanceof WorkspaceError) return { ok: false, error: error.message };
    throw error;
  }
};

const computeDiff = async (
  { contents }: PreviewCommitDeps,
  { sessionId, targetFile: target, operation }: WriteSessionRow,
  before: TargetBefore | null,
  content: ContentRef,
): Promise<string> => {
  const appendedTo = operation === 'append' ? before : null;
  const bytes = content.bytes + (appendedTo?.bytes ?? 0);
  const sizeChange = sizeChangeText(target, before?.bytes ?? null, bytes);
  if (bytes > MAX_PREVIEWED_BYTES || (appendedTo && !appendedTo.content)) return sizeChange;
  const handle = await contents.open(sessionId, content.sha256);
  if (!handle) return sizeChange;
  try {
    const after = Buffer.concat([appendedTo?.content ?? Buffer.alloc(0), await handle.readFile()]);
    return fileDiff({ ok: true, target, before, after });
  } finally {
    await handle.close();
  }
};
