import { useState } from 'react';
import type { Failure } from '../http/request-failure.ts';
import { cancelTurn } from '../http/turn-requests.ts';

interface StopRequest {
  readonly turnId: string;
  /**
   * The failure with which the gateway refused the stop. Absent until the gateway has answered, and if it has accepted
   * the stop.
   */
  readonly failure?: Failure;
}

/**
 * Returns the state of stopping the running turn, and the function that stops it. The state of a request for an earlier
 * turn is ignored.
 */
export const useStop = (runningTurn: string | undefined) => {
  const [request, setRequest] = useState<StopRequest>();
  const current = request?.turnId === runningTurn ? request : undefined;
  const isStopping = current !== undefined && current.failure === undefined;
  const stop = async (turnId: string): Promise<void> => {
    setRequest({ turnId });
    const result = await cancelTurn(turnId);
    if (!result.ok) setRequest({ turnId, failure: result.failure });
  };
  return {
    isStopping,
    failure: current?.failure,
    stop: (): void => void (runningTurn !== undefined && !isStopping && stop(runningTurn)),
  };
};
