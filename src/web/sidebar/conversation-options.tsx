import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { costAndWasteWords } from '../wording/cost-words.ts';
import { Problem } from '../components/problem.tsx';
import type { Failure } from '../http/request-failure.ts';
import { removeConversation, renameConversation } from '../http/conversation-requests.ts';
import type { PageRoute } from '../route/address.ts';
import type { ListedConversation } from './use-conversations.ts';

interface ConversationOptionsProps {
  readonly route: PageRoute;
  readonly title: string;
  readonly cost: ListedConversation['cost'];
  readonly wastedCost: number;
  readonly onRenamed: () => void;
  readonly onRemoved: () => void;
  readonly onClose: () => void;
}

/** A menu that renames or deletes a conversation, and says what its ended turns have cost. */
export const ConversationOptions = (props: ConversationOptionsProps) => {
  const [step, setStep] = useState<'choose' | 'rename' | 'delete'>('choose');
  const { failure, rename, remove } = useConversationActions(props);
  const { title, cost, wastedCost, onClose } = props;
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key === 'Escape') onClose();
  };
  return (
    <div className="row-options" onKeyDown={onKeyDown}>
      {step === 'choose' && (
        <>
          <button type="button" className="quiet" autoFocus onClick={() => setStep('rename')}>
            Rename
          </button>
          <button type="button" className="quiet" onClick={() => setStep('delete')}>
            Delete …
          </button>
          {cost !== null && <span className="fact">Cost {costAndWasteWords(cost, wastedCost)}</span>}
        </>
      )}
      {step === 'rename' && <Rename title={title} onRename={rename} />}
      {step === 'delete' && <Delete onDelete={remove} onKeep={onClose} />}
      {failure && <Problem failure={failure} />}
    </div>
  );
};

const useConversationActions = ({ route, onRenamed, onRemoved, onClose }: ConversationOptionsProps) => {
  const [failure, setFailure] = useState<Failure>();
  const rename = async (title: string): Promise<void> => {
    const result = await renameConversation(route, title);
    if (!result.ok) return setFailure(result.failure);
    onRenamed();
    onClose();
  };
  const remove = async (): Promise<void> => {
    const result = await removeConversation(route);
    // Another tab or person may have removed it already, which is what was wanted.
    if (!result.ok && result.failure.code !== 'not_found') return setFailure(result.failure);
    onRemoved();
    onClose();
  };
  return { failure, rename: (title: string) => void rename(title), remove: () => void remove() };
};

const Delete = ({ onDelete, onKeep }: { onDelete: () => void; onKeep: () => void }) => (
  <>
    <p>With all that was said in it?</p>
    <button type="button" className="stop" onClick={onDelete}>
      Delete
    </button>
    <button type="button" autoFocus onClick={onKeep}>
      Keep
    </button>
  </>
);

const Rename = ({ title, onRename }: { title: string; onRename: (title: string) => void }) => {
  const [text, setText] = useState(title);
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() !== '') onRename(text.trim());
  };
  return (
    <form onSubmit={onSubmit}>
      <input
        type="text"
        dir="auto"
        aria-label="Title"
        autoFocus
        maxLength={200}
        value={text}
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => setText(target.value)}
      />
      <button type="submit" disabled={text.trim() === ''}>
        Save
      </button>
    </form>
  );
};
