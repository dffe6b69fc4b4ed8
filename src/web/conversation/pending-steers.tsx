import { Problem } from '../parts/problem.tsx';
import type { PageSteers } from './use-steers.ts';

interface PendingSteersProps {
  readonly turnId: string;
  readonly steers: PageSteers;
  /** Puts a text into the composer, where it can be changed. */
  readonly onTakeBack: (text: string) => void;
}

/** The messages into a turn that are not yet among its events. */
export const PendingSteers = ({ turnId, steers, onTakeBack }: PendingSteersProps) =>
  steers.pending
    .filter(({ message }) => message.turnId === turnId)
    .map(({ message, failure }) => (
      <div key={message.messageId} className="pending">
        <p className="question" dir="auto">
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
