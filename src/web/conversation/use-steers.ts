import { useCallback, useEffect, useRef, useState } from 'react';
import type { ConversationKey } from '../../contracts/values/ids.ts';
import { type PageSteer, speakInto } from '../server/requests.ts';
import { keepSteers, keptSteers, type PendingSteer } from './kept-steers.ts';

/** Messages of this page into turns, until each is seen among the turn's events. */
export interface PageSteers {
  readonly pending: readonly PendingSteer[];
  readonly send: (message: PageSteer) => void;
  /** Removes messages that the turn has taken or handed back. */
  readonly settle: (messageIds: readonly string[]) => void;
}

/**
 * The messages into the turns of a conversation, through a reload, too. `onQueued`: the turn had ended, and the next
 * one has begun with the message.
 */
export const useSteers = (
  { projectId, conversationId }: ConversationKey,
  onQueued: (message: PageSteer) => void,
): PageSteers => {
  const [pending, setPending] = useState(() => keptSteers({ projectId, conversationId }, sessionStorage));
  useEffect(
    () => keepSteers({ projectId, conversationId }, pending, sessionStorage),
    [projectId, conversationId, pending],
  );
  const settle = useCallback((messageIds: readonly string[]): void => {
    setPending((before) => {
      const left = before.filter(({ message }) => !messageIds.includes(message.messageId));
      return left.length === before.length ? before : left;
    });
  }, []);
  const send = async (message: PageSteer): Promise<void> => {
    const { messageId } = message;
    const place = (steer: PendingSteer): void =>
      setPending((before) => [...before.filter((each) => each.message.messageId !== messageId), steer]);
    place({ message });
    const answer = await speakInto(message);
    if (!answer.ok) return place({ message, failure: answer.failure });
    if (answer.value.state === 'accepted') return;
    settle([messageId]);
    onQueued(message);
  };
  // What was on its way, or had been taken, when the page was left: a turn that has it takes it once.
  const left = useRef(pending.filter(({ failure }) => failure === undefined));
  useEffect(() => left.current.splice(0).forEach(({ message }) => void send(message)));
  return { pending, settle, send: (message) => void send(message) };
};
