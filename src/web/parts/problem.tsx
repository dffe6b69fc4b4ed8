import type { Failure } from '../server/gateway-request.ts';

interface ProblemProps {
  readonly failure: Pick<Failure, 'message'>;
  readonly again?: () => void;
  /** Hides the failure. */
  readonly discard?: () => void;
  /** Puts what failed back where it can be changed. */
  readonly takeBack?: () => void;
}

/** A failure, in the words of the gateway, and a way to go on. */
export const Problem = ({ failure, again, discard, takeBack }: ProblemProps) => (
  <div className="problem" role="alert">
    <p>{failure.message}</p>
    <div className="actions">
      {discard && (
        <button type="button" onClick={discard}>
          Discard
        </button>
      )}
      {takeBack && (
        <button type="button" onClick={takeBack}>
          Edit
        </button>
      )}
      {again && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  </div>
);
