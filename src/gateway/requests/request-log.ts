import type { ServerResponse } from 'node:http';
import type { Response } from 'express';
import type { Logger } from 'pino';
import { pinoHttp, type HttpLogger } from 'pino-http';
import { keyNameOf } from '../access/access.ts';
import { assignHttpRequestId, adoptedIdOf } from './http-request-id.ts';
import { redactUrl } from './redact-url.ts';

/**
 * Creates middleware that gives every request its id (header `X-Request-Id` of the response) and a logger of its own.
 * It logs one line once the request has been answered or its client has left, except for `/health` and `/ready`.
 * Headers are never logged, since they carry keys and cookies. The URL is logged without the secrets in it that
 * `redactUrl` recognises.
 */
export const createRequestLog = (logger: Logger): HttpLogger =>
  pinoHttp({
    logger,
    genReqId: assignHttpRequestId,
    // Otherwise the logger of a request would hold the whole request, for as long as its stream lasts.
    quietReqLogger: true,
    quietResLogger: true,
    customSuccessObject: (req, res, line: object) => ({ req, ...laterFields(res), ...line }),
    // `handleError` has logged the error itself.
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
 * Returns the name of the request's API key, and the id that the request was given later, if there are any. Both become
 * known only while the request is handled. The client was told the later id, so the line must have it.
 */
const laterFields = (res: ServerResponse): object => {
  const adoptedId = adoptedIdOf(res);
  const key = keyNameOf(res as Response);
  return { ...(key !== undefined && { key }), ...(adoptedId !== undefined && { adoptedId }) };
};
