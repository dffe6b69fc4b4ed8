import { useMemo, useState } from 'react';
import type { TurnUndoAnswer, UndoneFile } from '../../contracts/http/turn-api.ts';
import { Problem } from '../parts/problem.tsx';
import type { Failure } from '../server/gateway-request.ts';
import { takeBackTurn } from '../server/requests.ts';
import type { AnswerEntry } from '../turn/answer-view.ts';
import { changedPaths, type TreeNode, treeOf } from './changed-files.ts';

interface ChangesViewProps {
  readonly turnId: string;
  /** Address of the files of its project, with what the turn has changed. */
  readonly filesAddress: string;
  readonly entries: readonly AnswerEntry[];
}

/** The files that a turn has changed, and how to take that back; nothing for a turn that changed none. */
export const ChangesView = ({ turnId, filesAddress, entries }: ChangesViewProps) => {
  const paths = useMemo(() => changedPaths(entries), [entries]);
  if (paths.length === 0) return null;
  return (
    <details className="changes">
      <summary>{paths.length === 1 ? 'Changed a file' : `Changed ${paths.length} files`}</summary>
      <Tree nodes={treeOf(paths)} />
      <p>
        <a href={filesAddress}>Among the other files</a>
      </p>
      <Undo turnId={turnId} />
    </details>
  );
};

const Tree = ({ nodes }: { nodes: readonly TreeNode[] }) => (
  <ul dir="ltr">
    {nodes.map(({ name, path, children }) => (
      <li key={name}>
        <span className={path === '' ? 'folder' : undefined}>{name}</span>
        {children.length > 0 && <Tree nodes={children} />}
      </li>
    ))}
  </ul>
);

/** Asked first: what a person has done to the files since is looked at by the gateway, which leaves it alone. */
const Undo = ({ turnId }: { turnId: string }) => {
  const [step, setStep] = useState<'offered' | 'asked' | 'sent'>('offered');
  const [answer, setAnswer] = useState<TurnUndoAnswer>();
  const [failure, setFailure] = useState<Failure>();
  const undo = async (): Promise<void> => {
    setStep('sent');
    const outcome = await takeBackTurn(turnId);
    setFailure(outcome.ok ? undefined : outcome.failure);
    if (outcome.ok) setAnswer(outcome.value);
    else setStep('offered');
  };
  if (answer) return <Undone answer={answer} />;
  return (
    <>
      {step === 'offered' && (
        <button type="button" onClick={() => setStep('asked')}>
          Undo …
        </button>
      )}
      {step !== 'offered' && (
        <div className="replies" role="group" aria-label="Undo">
          <span>Give these files back what they held before?</span>
          <button type="button" className="stop" disabled={step === 'sent'} onClick={() => void undo()}>
            Undo
          </button>
          <button type="button" disabled={step === 'sent'} autoFocus onClick={() => setStep('offered')}>
            Keep
          </button>
        </div>
      )}
      {failure && <Problem failure={failure} />}
    </>
  );
};

const OUTCOMES: Readonly<Record<UndoneFile['outcome'], string>> = {
  restored: 'holds again what it held before the turn',
  removed: 'is removed: the turn had made it',
  unchanged: 'is as it was before the turn, or was taken back already',
  refused: 'stays as it is',
};

const Undone = ({ answer: { files, otherTools } }: { answer: TurnUndoAnswer }) => (
  <div role="status">
    <ul className="undone">
      {files.map(({ path, outcome, reason }) => (
        <li key={path} className={outcome}>
          <code>{path}</code> {OUTCOMES[outcome]}
          {reason !== undefined && `: ${reason}`}
        </li>
      ))}
    </ul>
    {otherTools.length > 0 && (
      <p className="fact">What these have changed stays as it is: {otherTools.join(', ')}</p>
    )}
  </div>
);
