import { useEffect } from 'react';
import { Problem } from '../components/problem.tsx';
import type { AnswerView } from '../turn/answer-view.ts';
import { useExchangeActions } from './exchange-actions.ts';

/** Shows the messages into a turn that are not among its events yet. */
export const PendingSteers = ({ turnId }: { readonly turnId: string }) => {
  const { steers, onTakeBack } = useExchangeActions();
  return steers.pending
    .filter(({ message }) => message.turnId === turnId)
    .map(({ message, failure }) => (
      <div key={message.messageId} className="pending">
        <p className="user-message" dir="auto">
          {message.content}
        </p>
        {failure ? (
          <Problem
            failure={failure}
            retry={() => steers.send(message)}
            discard={() => steers.remove([message.messageId])}
            edit={() => {
              steers.remove([message.messageId]);
              onTakeBack(message.content);
            }}
          />
        ) : (
          <p className="fact">
            {message.when === 'now' ? 'Interrupts the answer' : 'Goes in with the next step'}
          </p>
        )}
      </div>
    ));
};

/** Reports which steers the turn has read, and which it had not read when it ended. */
export const useReportSteers = ({ entries, end }: AnswerView): void => {
  const {
    steers: { remove },
    onUnapplied,
  } = useExchangeActions();
  useEffect(() => {
    remove(entries.flatMap((entry) => (entry.kind === 'steer' ? [entry.messageId] : [])));
  }, [entries, remove]);
  useEffect(() => {
    if (end?.unapplied) onUnapplied(end.unapplied);
  }, [end, onUnapplied]);
};
