import type { Response } from 'express';

/**
 * Refuses a request of a worker or another gateway whose body has not ended. The body is not read any further, so the
 * connection cannot serve another request.
 */
export const refuseUnread = (response: Response, status: number, code: string, error: string): void => {
  response.set('connection', 'close').status(status).json({ error, code });
};
