import { useCallback, useEffect, useState } from 'react';
import type { InputRequested } from '../../contracts/wire/input-events.ts';
import { readInput } from '../http/reply-requests.ts';
import type { Failure } from '../http/request-failure.ts';

/** A request to a person, as far as it has been read. */
export interface LoadedRequest {
  readonly request: InputRequested;
  /** True while `request` has only the beginning of its arguments or of its diff. */
  readonly isCut: boolean;
  /** Why the rest could not be read. Undefined while it is being read, and after it has been read. */
  readonly failure: Failure | undefined;
  /** Reads the rest again. */
  readonly retry: () => void;
}

/**
 * Returns a request with all of its arguments and its diff. Its event may have only the beginning of both. As long as a
 * person can reply to the request (`isOpen`), the rest is read, and until it has come, the request is returned as cut.
 */
export const useWholeRequest = (request: InputRequested, isOpen: boolean): LoadedRequest => {
  const [whole, setWhole] = useState<InputRequested>();
  const [failure, setFailure] = useState<Failure>();
  const { inputId } = request;
  const isCut = request.truncated === true && whole === undefined;
  const mustRead = isCut && isOpen && failure === undefined;
  useEffect(() => {
    if (!mustRead) return undefined;
    let isStale = false;
    const readRequest = async (): Promise<void> => {
      const result = await readInput(inputId);
      if (isStale) return;
      if (result.ok) setWhole({ ...result.value.input, type: 'input_requested' });
      else setFailure(result.failure);
    };
    void readRequest();
    return () => {
      isStale = true;
    };
  }, [inputId, mustRead]);
  const retry = useCallback(() => setFailure(undefined), []);
  return { request: whole ?? request, isCut, failure, retry };
};
