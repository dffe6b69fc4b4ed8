import type { ApiErrorCode, ValidationDetail } from '../../contracts/http/errors.ts';
import type { ConversationKey } from '../../contracts/values/ids.ts';

const HTTP_STATUS = {
  validation_failed: 400,
  unauthorized: 401,
  forbidden: 403,
  forbidden_host: 403,
  forbidden_origin: 403,
  not_found: 404,
  turn_not_found: 404,
  session_not_found: 404,
  input_not_found: 404,
  request_timeout: 408,
  turn_in_progress: 409,
  turn_ended: 409,
  idempotency_conflict: 409,
  session_conflict: 409,
  draft_offset: 409,
  approval_required: 409,
  input_closed: 409,
  input_changed: 409,
  payload_too_large: 413,
  content_too_large: 413,
  unsupported_media_type: 415,
  budget_exceeded: 429,
  rate_limited: 429,
  too_many_streams: 429,
  too_many_messages: 429,
  two_stage_disabled: 501,
  temporal_unavailable: 503,
  database_unavailable: 503,
  overloaded: 503,
  storage_quota_exceeded: 507,
  storage_full: 507,
  internal_error: 500,
  write_failed: 500,
} as const satisfies Record<ApiErrorCode, number>;

/**
 * `Retry-After`, in seconds, for refusals that end soon: the client's other requests finish, or a server comes back.
 */
export const RETRY_SOON_SECONDS = 1;

/** What an error has in addition to its code and its text. */
export interface ApiErrorExtras {
  /** Facts for programs, sent in the body. */
  readonly details?: readonly ValidationDetail[] | Readonly<Record<string, string | number>>;
  /** Sent as the header `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Logged for status 5xx, and never sent. */
  readonly cause?: unknown;
}

/** An expected failure of a request. Routes and what they call throw it, and `handleError` answers it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ApiErrorCode;
  readonly status: number;
  readonly details: ApiErrorExtras['details'];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ApiErrorCode, message: string, extras: ApiErrorExtras = {}) {
    super(message, { cause: extras.cause });
    this.code = code;
    this.status = HTTP_STATUS[code];
    this.details = extras.details;
    this.retryAfterSeconds = extras.retryAfterSeconds;
  }
}

/** Returns the 404 of a turn. It is the same for a turn of a foreign project as for a turn that never existed. */
export const turnNotFoundError = (turnId: string): ApiError =>
  new ApiError('turn_not_found', `There is no turn ${turnId}.`);

/** Returns the 404 for a conversation that the project does not have. */
export const conversationNotFoundError = ({ projectId, conversationId }: ConversationKey): ApiError =>
  new ApiError('not_found', `There is no conversation ${conversationId} in the project ${projectId}.`);

/**
 * Returns the 503 of a server that is away. `turnId` names a turn that is stored and will start by itself: a repeat of
 * the request attaches to it.
 */
export const serverUnavailableError = (
  server: 'temporal' | 'database',
  turnId?: string,
  cause?: unknown,
): ApiError =>
  new ApiError(
    `${server}_unavailable`,
    `${server === 'temporal' ? 'Temporal' : 'The database'} cannot be reached. Try again soon.`,
    { retryAfterSeconds: RETRY_SOON_SECONDS, cause, ...(turnId !== undefined && { details: { turnId } }) },
  );

/**
 * Returns the error for the case that Temporal answers, but no worker does. It has the code of a Temporal that is away,
 * since a client can only try again in both cases.
 */
export const workersUnavailableError = (cause: unknown): ApiError =>
  new ApiError('temporal_unavailable', 'No worker answers, although Temporal does. Try again soon.', {
    retryAfterSeconds: RETRY_SOON_SECONDS,
    cause,
    details: { missing: 'worker' },
  });
