import { useEffect, useState } from 'react';
import type { PageRoute } from '../route/address.ts';
import { storeDraft, storeDraftedConversation, readDraft } from '../tab-storage/stored-draft.ts';

/** The conversation that the unsent text of a person belongs to, and the text that the page begins with. */
export interface DraftProps {
  readonly route: PageRoute;
  /** True when the conversation has no messages. Undefined while that is not known. */
  readonly isNew: boolean | undefined;
  /** Text that the field has at first, before a stored draft. */
  readonly initialText: string;
}

/**
 * Returns the text that was typed and not sent, and the function that changes it. The text is kept in the tab, so that
 * it survives a reload. `initialText` is stored like typed text, because the page gets it only once.
 */
export const useDraft = ({
  route: { projectId, conversationId },
  initialText,
  isNew,
}: DraftProps): readonly [string, (text: string) => void] => {
  const [text, setText] = useState(() =>
    [initialText, readDraft({ projectId, conversationId }, sessionStorage)].filter(Boolean).join('\n'),
  );
  useEffect(
    () => storeDraft({ projectId, conversationId }, text, sessionStorage),
    [projectId, conversationId, text],
  );
  const isDrafted = isNew && text !== '';
  useEffect(() => {
    if (isDrafted !== undefined) {
      storeDraftedConversation({ projectId, conversationId }, isDrafted, sessionStorage);
    }
  }, [projectId, conversationId, isDrafted]);
  return [text, setText];
};
