import { type KeyboardEvent, useState } from 'react';
import type { ReplyBody } from '../../contracts/inputs/reply.ts';
import { parseJson } from '../../contracts/values/parse-json.ts';
import { isRecord } from '../../contracts/values/unchecked-value.ts';
import type { InputRequested } from '../../contracts/wire/input-events.ts';
import { readableArguments } from '../turn/call-words.ts';
import type { SendReply } from './reply-words.ts';

interface ApprovalReplyProps {
  readonly request: InputRequested;
  /** True while only the beginning of the request is shown, so that nobody can judge all of it. */
  readonly isCut: boolean;
  readonly onReply: SendReply;
}

/**
 * Lets a person allow a call or a commit, once or for the turn, change the arguments of the call, or deny with a note
 * to the model. A request of which only the beginning is shown can only be denied.
 */
export const ApprovalReply = ({ request, isCut, onReply }: ApprovalReplyProps) => {
  const [isEditing, setEditing] = useState(false);
  if (isEditing) return <EditReply request={request} onReply={onReply} onBack={() => setEditing(false)} />;
  return (
    <div className="replies">
      {!isCut && <AllowButtons request={request} onReply={onReply} onEdit={() => setEditing(true)} />}
      <Deny onReply={onReply} />
    </div>
  );
};

interface AllowButtonsProps extends Omit<ApprovalReplyProps, 'isCut'> {
  readonly onEdit: () => void;
}

const AllowButtons = ({ request, onReply, onEdit }: AllowButtonsProps) => {
  const shownVersion = shownVersionOf(request);
  const offers = (reply: ReplyBody['reply']): boolean => request.options.includes(reply);
  return (
    <>
      <button type="button" className="main" onClick={() => onReply({ reply: 'allow', ...shownVersion })}>
        Allow
      </button>
      {offers('allow_turn') && (
        <button type="button" onClick={() => onReply({ reply: 'allow_turn', ...shownVersion })}>
          Allow for this turn
        </button>
      )}
      {offers('edit') && (
        <button type="button" onClick={onEdit}>
          Edit
        </button>
      )}
    </>
  );
};

/** A button that denies, and a field for a note to the model. Enter in the field denies with the note. */
const Deny = ({ onReply }: Pick<ApprovalReplyProps, 'onReply'>) => {
  const [note, setNote] = useState('');
  const words = note.trim();
  const deny = (): void => onReply({ reply: 'deny', ...(words !== '' && { note: words }) });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    event.preventDefault();
    // An Enter without a note may have been meant for another field.
    if (words !== '') deny();
  };
  return (
    <>
      <input
        type="text"
        dir="auto"
        aria-label="A note for the model, with Deny"
        placeholder="Note for the model"
        value={note}
        onChange={({ target }) => setNote(target.value)}
        onKeyDown={onKeyDown}
      />
      <button type="button" className="stop" onClick={deny}>
        Deny
      </button>
    </>
  );
};

interface EditReplyProps extends Omit<ApprovalReplyProps, 'isCut'> {
  readonly onBack: () => void;
}

const EditReply = ({ request, onReply, onBack }: EditReplyProps) => {
  const [text, setText] = useState(readableArguments(request.arguments ?? '{}'));
  const editedArguments = parseEditedArguments(text);
  const shownVersion = shownVersionOf(request);
  return (
    <div className="edit">
      <textarea
        aria-label="Arguments as JSON"
        autoFocus
        aria-invalid={editedArguments === undefined}
        rows={8}
        dir="ltr"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {editedArguments === undefined && <p className="fact">Expected a JSON object.</p>}
      <div className="replies">
        <button
          type="button"
          className="main"
          disabled={editedArguments === undefined}
          onClick={() =>
            editedArguments && onReply({ reply: 'edit', arguments: editedArguments, ...shownVersion })
          }
        >
          Run with these
        </button>
        <button type="button" onClick={onBack}>
          Back
        </button>
      </div>
    </div>
  );
};

/**
 * Returns the field with which a reply names the hash of what was shown. If the file has changed since, nothing is
 * written.
 */
const shownVersionOf = ({ argsHash }: InputRequested): Pick<ReplyBody, 'argsHash'> =>
  argsHash === undefined ? {} : { argsHash };

/** Parses edited arguments. Returns undefined if the text is not a JSON object. */
const parseEditedArguments = (text: string): ReplyBody['arguments'] => {
  const value = parseJson(text);
  return isRecord(value) ? (value as NonNullable<ReplyBody['arguments']>) : undefined;
};
