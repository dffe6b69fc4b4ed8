import { useCallback, useEffect, useRef, useState } from 'react';
import type { ConversationKey } from '../../contracts/values/ids.ts';
import { type SteerMessage, sendSteer } from '../http/turn-requests.ts';
import type { PageRoute } from '../route/address.ts';
import { createPageId } from '../route/page-ids.ts';
import { storePendingSteers, readPendingSteers, type PendingSteer } from './stored-pending-steers.ts';
import type { ShownConversation } from './use-conversation.ts';

/**
 * The messages of this page into turns, each until its turn has read or returned it, or until it has begun the next
 * turn.
 */
export interface PageSteers {
  readonly pending: readonly PendingSteer[];
  readonly send: (message: SteerMessage) => void;
  /** Removes messages that their turn has read or returned, or that a person has discarded. */
  readonly remove: (messageIds: readonly string[]) => void;
}

/**
 * Keeps the steers of the conversation that is shown. `steer` sends a message into the running turn. Messages that a
 * turn has not read before its end are put back into the composer. `restored` is the text that was put back last, and
 * its `count` grows with each text.
 */
export const useSteers = (
  route: PageRoute,
  conversation: ShownConversation,
  runningTurn: string | undefined,
) => {
  const [restoredDraft, setRestoredDraft] = useState({ text: '', count: 0 });
  const onTakeBack = useCallback((text: string): void => {
    setRestoredDraft(({ count }) => ({ text, count: count + 1 }));
  }, []);
  const steers = usePendingSteers(route, ({ messageId, content, turnId }) => {
    conversation.add({ turnId: messageId, message: content }, turnId);
    // The gateway makes the newest turn the parent of the new one. That may be another turn by now, and the stored
    // messages show which it is.
    conversation.readNewest();
  });
  const { pending, remove } = steers;
  const onUnapplied = useCallback(
    (messageIds: readonly string[]): void => {
      const unapplied = pending.filter(({ message }) => messageIds.includes(message.messageId));
      if (unapplied.length === 0) return;
      onTakeBack(unapplied.map(({ message }) => message.content).join('\n'));
      remove(messageIds);
    },
    [pending, remove, onTakeBack],
  );
  const steer = (content: string, when: SteerMessage['when']): void => {
    if (runningTurn !== undefined) {
      steers.send({ turnId: runningTurn, messageId: createPageId('turn'), content, when });
    }
  };
  return { steers, restoredDraft, onTakeBack, onUnapplied, steer };
};

/**
 * Keeps the steers of a conversation, also through a reload. `onQueued` is called when the turn had ended, and the
 * message has begun the next turn.
 */
const usePendingSteers = (
  { projectId, conversationId }: ConversationKey,
  onQueued: (message: SteerMessage) => void,
): PageSteers => {
  const [pending, setPending] = useState(() =>
    readPendingSteers({ projectId, conversationId }, sessionStorage),
  );
  useEffect(
    () => storePendingSteers({ projectId, conversationId }, pending, sessionStorage),
    [projectId, conversationId, pending],
  );
  const remove = useCallback((messageIds: readonly string[]): void => {
    setPending((before) => {
      const remaining = before.filter(({ message }) => !messageIds.includes(message.messageId));
      return remaining.length === before.length ? before : remaining;
    });
  }, []);
  const send = async (message: SteerMessage): Promise<void> => {
    const { messageId } = message;
    const put = (steer: PendingSteer): void =>
      setPending((before) => [...before.filter((each) => each.message.messageId !== messageId), steer]);
    put({ message });
    const result = await sendSteer(message);
    if (!result.ok) return put({ message, failure: result.failure });
    if (result.value.state === 'accepted') return;
    remove([messageId]);
    onQueued(message);
  };
  // Steers that were neither refused nor read when the page was left are sent again. That is safe, because a turn
  // accepts each of them only once. The list is empty after the first run of the effect.
  const unanswered = useRef(pending.filter(({ failure }) => failure === undefined));
  useEffect(() => unanswered.current.splice(0).forEach(({ message }) => void send(message)));
  return { pending, remove, send: (message) => void send(message) };
};
