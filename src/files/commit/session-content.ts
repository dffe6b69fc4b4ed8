import type { ContentRef } from '../../contracts/write-session.ts';
import type { ContentStore } from '../content-store/content-store.ts';
import type { TargetState } from '../workspace/target-file.ts';
import { CommitRefusal } from './commit-failure.ts';
import type { Part } from './compose-file.ts';

/** What a commit writes: the content that was named, or the session's draft. Throws CommitRefusal. */
export const contentToCommit = async (
  contents: ContentStore,
  sessionId: string,
  named: ContentRef | undefined,
  signal: AbortSignal,
): Promise<ContentRef> => {
  if (named !== undefined) {
    if (!(await contents.has(named.sha256))) throw contentLost(named);
    return named;
  }
  const sealed = await contents.drafts.seal(sessionId, signal);
  switch (sealed.kind) {
    case 'stored':
      return sealed.content;
    case 'none':
      throw new CommitRefusal('validation_failed', 'content: expected some, or a draft, received neither');
    case 'blank':
      throw new CommitRefusal('validation_failed', 'content: expected text, received blanks only');
    case 'invalid_text':
      throw new CommitRefusal('validation_failed', sealed.reason);
    case 'too_large':
      throw new CommitRefusal('validation_failed', 'content: expected less, received more than the limit');
    default:
      return sealed satisfies never;
  }
};

export const contentPart = (contents: ContentStore, content: ContentRef): Part => ({
  state: content,
  open: () => contents.open(content.sha256),
  lost: () => contentLost(content),
});

/** What stood in the target before a commit. */
export const undoPart = (contents: ContentStore, before: TargetState): Part => ({
  state: before,
  open: () => contents.undo.open(before.sha256),
  lost: () => new CommitRefusal('write_failed', 'what the file held before the commit is not kept any more'),
});

export const contentLost = ({ sha256 }: ContentRef): CommitRefusal =>
  new CommitRefusal('validation_failed', `content ${sha256}: not stored any more, send it again`);
