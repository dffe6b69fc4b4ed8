import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { ApiErrorBody, ApiErrorCode, ValidationDetail } from '../../contracts/http/errors.ts';
import { INTERNAL_ERROR_TEXT } from '../../contracts/values/internal-error-text.ts';
import { WorkersMissingError } from '../../temporal/temporal-unavailable.ts';
import { ApiError, serverUnavailableError, workersUnavailableError } from '../errors/api-error.ts';
import { drainRefusedBody } from './drain-refused-body.ts';
import { httpRequestIdOf } from './http-request-id.ts';
import { describeValue } from './validation.ts';
import { unavailableServerOf } from '../../turn-service/unavailable.ts';

/** Answers every path that no route took: 404 `not_found`. */
export const unknownRoute: RequestHandler = (req, _res, next) => {
  next(new ApiError('not_found', `There is no ${req.method} ${req.path}.`));
};

/**
 * Answers a request whose route has thrown an error, with JSON and without the stack. Once the headers are sent, no
 * error can be answered, so the connection is closed. The client of a stream then resumes.
 */
export const handleError: ErrorRequestHandler = async (error: unknown, req, res, _next) => {
  const failure = toApiError(error);
  logFailure(req.log, failure);
  if (res.headersSent) {
    res.destroy();
    return;
  }
  await drainRefusedBody(req, res);
  if (failure.retryAfterSeconds !== undefined) res.setHeader('Retry-After', failure.retryAfterSeconds);
  res.status(failure.status).json(errorBodyOf(failure, httpRequestIdOf(req)));
};

/**
 * Creates middleware that counts errors in the metrics, by the codes with which they are answered. It hands them on to
 * `handleError`.
 */
export const createRefusalCount =
  (metrics: { readonly refused: (code: ApiErrorCode) => void }): ErrorRequestHandler =>
  (error: unknown, _req, _res, next) => {
    metrics.refused(toApiError(error).code);
    next(error);
  };

/**
 * Logs failures of the server: an outage with its cause, and a defect with its stack. Refusals need no line beyond the
 * one of the request.
 */
const logFailure = (log: Logger, { code, status, cause }: ApiError): void => {
  if (code === 'internal_error') {
    log.error({ err: cause }, 'request failed');
  } else if (status >= 500) {
    log.warn({ code, cause: cause instanceof Error ? cause.message : cause }, 'request failed');
  }
};

const errorBodyOf = ({ message, code, details }: ApiError, requestId: string) =>
  ({ error: message, code, ...(details && { details }), requestId }) satisfies Omit<ApiErrorBody, 'details'>;

/**
 * Returns the error as `handleError` answers it. `hint`, which a client needs to try again, is added to the `details`
 * of a server error (5xx).
 */
export const toHintedApiError = (error: unknown, hint: Readonly<Record<string, string>>): ApiError => {
  const failure = toApiError(error);
  const { code, message, status, retryAfterSeconds, cause } = failure;
  if (status < 500) return failure;
  const details = { ...(failure.details as Readonly<Record<string, string | number>> | undefined), ...hint };
  return new ApiError(code, message, {
    details,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    cause,
  });
};

const toApiError = (error: unknown): ApiError => {
  if (error instanceof ApiError) return error;
  // Checked first: a client that hangs up in the middle of its body causes the same error code as a database that hangs
  // up.
  const requestError = middlewareError(error);
  if (requestError) return requestError;
  if (error instanceof WorkersMissingError) return workersUnavailableError(error);
  const server = unavailableServerOf(error);
  if (server) return serverUnavailableError(server, undefined, error);
  return new ApiError('internal_error', INTERNAL_ERROR_TEXT, { cause: error });
};

/**
 * Returns an error of Express or its body parser with the status 400, 413 or 415 as ApiError, and undefined for any
 * other error. Such errors have a `status` and, mostly, a `type`.
 */
const middlewareError = (error: unknown): ApiError | undefined => {
  const { status, type } = error as { status?: unknown; type?: unknown };
  switch (status) {
    case 413:
      return new ApiError('payload_too_large', 'The request body is too large.', { cause: error });
    case 415:
      return unsupportedEncodingError(error);
    case 400:
      return type === 'entity.parse.failed' ? invalidJsonError(error) : unreadableRequestError(error);
    default:
      return undefined;
  }
};

/** Makes the error of a body whose charset or content encoding the parser does not know. */
const unsupportedEncodingError = (cause: unknown): ApiError => {
  const { charset, encoding } = cause as { charset?: unknown; encoding?: unknown };
  return new ApiError('unsupported_media_type', 'Expected a JSON body in UTF-8.', {
    details: [{ field: 'body', expected: 'JSON in UTF-8', received: describeValue(charset ?? encoding) }],
    cause,
  });
};

const invalidJsonError = (cause: unknown): ApiError =>
  new ApiError('validation_failed', 'The request body is not valid JSON.', {
    details: [{ field: 'body', expected: 'a JSON object', received: 'text that is not JSON' }],
    cause,
  });

const unreadableRequestError = (cause: unknown): ApiError =>
  new ApiError('validation_failed', 'The request cannot be read.', {
    details: [unreadablePartOf(cause)],
    cause,
  });

/** Returns the part of a request that could not be read: its path, or the body that the parser could not take in. */
const unreadablePartOf = (cause: unknown): ValidationDetail =>
  cause instanceof URIError
    ? { field: 'path', expected: 'UTF-8 in percent-encoding', received: 'a path that cannot be decoded' }
    : {
        field: 'body',
        expected: 'a complete body, encoded as its headers say',
        received: 'one that cannot be read',
      };
