import type { LogLevel, LogMetadata, Logger } from '@temporalio/worker';
import type { Logger as Pino } from 'pino';
import { turnWorkflowId } from '../src/contracts/values/workflow-ids.ts';
import { TASK_NOT_ENDED } from '../src/contracts/payload/early-queries.ts';
import { SESSION_EXPIRED } from '../src/contracts/write-session/write-session-texts.ts';

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error';
const LEVELS: Record<LogLevel, Level> = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
};

const TURN_ID_PREFIX = turnWorkflowId('');

/**
 * Levels of lines about errors that are expected, by the message of the error. A query or a task that came too early
 * (`workflows/sdk/ended-tasks.ts`) is tried again, so operators need not see the line. The SDK warns of every workflow
 * that fails, but the expiry of a write session is not a fault.
 */
const EXPECTED_ERRORS: ReadonlyMap<string, Level> = new Map([
  [TASK_NOT_ENDED, 'debug'],
  [SESSION_EXPIRED, 'info'],
]);

/** Returns a logger that writes Temporal's own log lines to the process's log. */
export const temporalLogger = (log: Pino): Logger => {
  const write = (level: Level) => (message: string, meta?: LogMetadata) =>
    log[expectedLevel(meta) ?? level]({ ...requestOf(meta), ...fieldsOfLine(meta) }, message);
  return {
    log: (level, message, meta) => write(LEVELS[level])(message, meta),
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
};

/** Returns the level for a line about an expected error, or undefined for any other line. */
const expectedLevel = (meta: LogMetadata | undefined): Level | undefined => {
  const error: unknown = meta?.['error'];
  return error instanceof Error ? EXPECTED_ERRORS.get(error.message) : undefined;
};

/**
 * Returns the request id for a log line about a turn, as the gateway's lines have it (docs/operations.md "Monitoring").
 * Returns no field for other lines.
 */
const requestOf = (meta: LogMetadata | undefined): { readonly requestId?: string } => {
  const workflowId: unknown = meta?.['workflowId'];
  const isTurn = typeof workflowId === 'string' && workflowId.startsWith(TURN_ID_PREFIX);
  return isTurn ? { requestId: workflowId.slice(TURN_ID_PREFIX.length) } : {};
};

/**
 * Returns the fields of a line. An error is moved from `error`, where the SDK puts it, to `err`, because pino writes
 * message and stack of that field. Of an error in any other field it writes only `{}`.
 */
const fieldsOfLine = (meta: LogMetadata | undefined): object => {
  const error: unknown = meta?.['error'];
  if (!(error instanceof Error)) return { ...meta };
  const { error: _error, ...others } = meta ?? {};
  return { ...others, err: error };
};
