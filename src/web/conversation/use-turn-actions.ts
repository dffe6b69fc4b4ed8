import { focusComposer } from '../components/focus-composer.ts';
import type { Navigate, PageRoute } from '../route/address.ts';
import { createPageId } from '../route/page-ids.ts';
import { lastTurnOf } from './branches.ts';
import type { ExchangeActions } from './exchange-actions.ts';
import type { ShownConversation } from './use-conversation.ts';

/** Returns the handlers that send, send again and discard messages, and show another branch of the conversation. */
export const useTurnActions = (
  route: PageRoute,
  conversation: ShownConversation,
  onNavigate: Navigate,
): Pick<ExchangeActions, 'onSend' | 'onSendAgain' | 'onDiscard' | 'onShow'> => ({
  onSend: (content, options, parent) => {
    const turnId = createPageId('turn');
    // The element that has the focus may disappear with the branch that is shown.
    focusComposer();
    const parentTurnId = parent === undefined ? lastTurnOf(conversation.branch) : parent;
    const { projectId, conversationId } = route;
    onNavigate({ ...route, turnId }, 'replace');
    conversation.send(
      { ...options, projectId, conversationId, turnId, parentTurnId, content },
      parent !== undefined,
    );
  },
  onSendAgain: (unsent) => {
    onNavigate({ ...route, turnId: unsent.message.turnId }, 'replace');
    conversation.sendAgain(unsent);
  },
  onDiscard: (unsent) => {
    const { turnId: _discarded, ...around } = route;
    const turnId = lastTurnOf(conversation.branch);
    // The address must not name a message that no longer exists.
    onNavigate({ ...around, ...(turnId !== undefined && { turnId }) }, 'replace');
    conversation.discard(unsent);
  },
  onShow: (turnId) => onNavigate({ ...route, turnId }),
});
