import type { Failure } from '../http/request-failure.ts';

interface ProblemProps {
  readonly failure: Pick<Failure, 'message'>;
  readonly retry?: () => void;
  /** Hides the failure. */
  readonly discard?: () => void;
  /** Puts the text that could not be sent back into a field where it can be changed. */
  readonly edit?: () => void;
}

/** Shows the message of a failure, with a button for each function that is given. */
export const Problem = ({ failure, retry, discard, edit }: ProblemProps) => (
  <div className="problem" role="alert">
    <p>{failure.message}</p>
    <div className="actions">
      {discard && (
        <button type="button" onClick={discard}>
          Discard
        </button>
      )}
      {edit && (
        <button type="button" onClick={edit}>
          Edit
        </button>
      )}
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  </div>
);
