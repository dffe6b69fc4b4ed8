import { useState } from 'react';
import type { Failure } from '../server/gateway-request.ts';
import { stopTurn } from '../server/requests.ts';

interface StopRequest {
  readonly turnId: string;
  /**
   * The failure with which the gateway refused the stop; absent while it is on its way, and until the turn has ended.
   */
  readonly failure?: Failure;
}

/** Stops the turn that runs. A request for an earlier turn is forgotten. */
export const useStop = (runningTurn: string | undefined) => {
  const [request, setRequest] = useState<StopRequest>();
  const here = request?.turnId === runningTurn ? request : undefined;
  const stop = async (turnId: string): Promise<void> => {
    setRequest({ turnId });
    const answer = await stopTurn(turnId);
    if (!answer.ok) setRequest({ turnId, failure: answer.failure });
  };
  return {
    isStopping: here !== undefined && here.failure === undefined,
    failure: here?.failure,
    stop: (): void => void (runningTurn !== undefined && stop(runningTurn)),
  };
};
