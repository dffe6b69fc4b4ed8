import type { SendReply } from './reply-words.ts';

/** Lets a person choose, when the turn has reached a limit, whether it continues or answers with what it has. */
export const LimitReply = ({ onReply }: { onReply: SendReply }) => (
  <div className="replies">
    <button type="button" className="main" onClick={() => onReply({ reply: 'keep_going' })}>
      Keep going
    </button>
    <button type="button" onClick={() => onReply({ reply: 'answer_now' })}>
      Answer now
    </button>
  </div>
);
