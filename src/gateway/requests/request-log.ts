import type { ServerResponse } from 'node:http';
import type { Response } from 'express';
import type { Logger } from 'pino';
import { pinoHttp, type HttpLogger } from 'pino-http';
import { keyNameOf } from '../access/access.ts';
import { assignRequestId, adoptedIdOf } from './request-id.ts';
import { redactUrl } from './redact-url.ts';

/**
 * Gives every request its id (header `X-Request-Id` of the response) and a child logger. Writes one line when the
 * request has been answered or its stream was left. Headers are never logged, since they carry keys and cookies. The
 * URL is logged without secrets that somebody put there by mistake.
 */
export const createRequestLog = (logger: Logger): HttpLogger =>
  pinoHttp({
    logger,
    genReqId: assignRequestId,
    // A logger that holds the whole request would stay in memory as long as the stream.
    quietReqLogger: true,
    quietResLogger: true,
    customSuccessObject: (req, res, line: object) => ({ req, ...laterFields(res), ...line }),
    // The error handler has logged the error itself.
    customErrorObject: (req, res, _error, { err: _err, ...line }: Record<string, unknown>) => ({
      req,
      ...laterFields(res),
      ...line,
    }),
    customAttributeKeys: { reqId: 'requestId' },
    autoLogging: { ignore: (req) => req.url === '/health' || req.url === '/ready' },
    customLogLevel: (_req, res, error) => {
      if (error || res.statusCode >= 500) return 'error';
      return res.statusCode >= 400 ? 'warn' : 'info';
    },
    serializers: {
      req: ({ method, url, remoteAddress }: Record<string, unknown>) => ({
        method,
        url: typeof url === 'string' ? redactUrl(url) : undefined,
        remoteAddress,
      }),
      res: ({ statusCode }: Record<string, unknown>) => ({ statusCode }),
    },
  });

/**
 * Returns the API key of the request, and the id that its client chose if it chose one. Both become known only while
 * the request is handled. The client was told that id, so the line must have it.
 */
const laterFields = (res: ServerResponse): object => {
  const adoptedId = adoptedIdOf(res);
  const key = keyNameOf(res as Response);
  return { ...(key !== undefined && { key }), ...(adoptedId !== undefined && { adoptedId }) };
};
