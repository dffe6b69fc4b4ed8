import { errnoOf } from '../../base/errors/errno.ts';
import { isRecord } from '../../contracts/values/unchecked-value.ts';
import { sqlStateOf } from './sql-state.ts';

/** Codes of Node's errors when a server cannot be reached, or when the connection to it breaks. */
const SOCKET_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/**
 * SQLSTATEs of a database that cannot be used at the moment:
 *
 * - 08: connection exception
 * - 53: insufficient resources, such as too many connections (53300)
 * - 57P01–57P03: shutdown, crash and start-up
 * - 57014: statement timeout
 * - 25006: read-only, as a standby is after a failover
 */
const SQL_STATES = /^(?:08|53|57P0[1-3]|57014|25006)/;

/** Failures that `pg` and its pool report only by message. */
const MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|timeout expired|not queryable/;

/**
 * Reports whether an error means that Postgres cannot be reached or cannot serve at the moment, so that the same query
 * may succeed later. Never throws.
 */
export const isDatabaseUnavailable = (error: unknown): boolean => {
  if (!isRecord(error)) return false;
  const { message, cause, errors } = error;
  if (SOCKET_CODES.has(errnoOf(error) ?? '') || SQL_STATES.test(sqlStateOf(error) ?? '')) return true;
  if (typeof message === 'string' && MESSAGES.test(message)) return true;
  // If `localhost` was tried as IPv6 and as IPv4, the failures come in one AggregateError.
  return isDatabaseUnavailable(cause) || (Array.isArray(errors) && errors.some(isDatabaseUnavailable));
};
