import { useEffect, useState } from 'react';
import type { GatewayResult } from './gateway-request.ts';

/**
 * Sends a request and returns its answer, or undefined until it has come. Every new function is a new request, so the
 * caller must keep its identity stable.
 */
export const useRequest = <T>(request: () => Promise<GatewayResult<T>>): GatewayResult<T> | undefined => {
  const [answered, setAnswered] = useState<{
    readonly to: typeof request;
    readonly outcome: GatewayResult<T>;
  }>();
  useEffect(() => {
    let isLeft = false;
    const ask = async (): Promise<void> => {
      const outcome = await request();
      if (!isLeft) setAnswered({ to: request, outcome });
    };
    void ask();
    return () => {
      isLeft = true;
    };
  }, [request]);
  return answered?.to === request ? answered.outcome : undefined;
};
