import { useEffect, useState } from 'react';
import type { GatewayResult } from './gateway-request.ts';

/**
 * Sends a request and returns its response, or undefined until the response has come. Another function is sent as
 * another request, so the caller passes the same function as long as the request is the same.
 */
export const useRequest = <T>(request: () => Promise<GatewayResult<T>>): GatewayResult<T> | undefined => {
  const [response, setResponse] = useState<{
    readonly to: typeof request;
    readonly result: GatewayResult<T>;
  }>();
  useEffect(() => {
    let isStale = false;
    const send = async (): Promise<void> => {
      const result = await request();
      if (!isStale) setResponse({ to: request, result });
    };
    void send();
    return () => {
      isStale = true;
    };
  }, [request]);
  return response?.to === request ? response.result : undefined;
};
