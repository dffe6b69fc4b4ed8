import type { Failure } from '../server/gateway-request.ts';

/** What went wrong, in the words of the gateway, and a way to go on. */
export const Problem = ({ failure, again }: { failure: Pick<Failure, 'message'>; again?: () => void }) => (
  <div className="problem" role="alert">
    <p>{failure.message}</p>
    {again && (
      <button type="button" onClick={again}>
        Try again
      </button>
    )}
  </div>
);
