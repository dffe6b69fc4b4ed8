import { useCallback, useState } from 'react';
import type { Failure } from '../server/gateway-request.ts';
import { type PageSteer, speakInto } from '../server/requests.ts';

/** A message into a turn that is not among the turn's events yet. `failure`: the gateway did not take it. */
export interface PendingSteer {
  readonly message: PageSteer;
  readonly failure?: Failure;
}

/** Messages of this page into turns, until each is seen among the turn's events. */
export interface PageSteers {
  readonly pending: readonly PendingSteer[];
  readonly send: (message: PageSteer) => void;
  /** Removes messages that the turn has taken or handed back. */
  readonly settle: (messageIds: readonly string[]) => void;
}

/** `onQueued`: called when the turn had ended, and the next one has begun with the message. */
export const useSteers = (onQueued: (message: PageSteer) => void): PageSteers => {
  const [pending, setPending] = useState<readonly PendingSteer[]>([]);
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
  return { pending, settle, send: (message) => void send(message) };
};
