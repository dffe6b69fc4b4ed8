import type { LogLevel, LogMetadata, Logger } from '@temporalio/worker';
import type { Logger as Pino } from 'pino';
import { turnWorkflowId } from '../src/contracts/values/ids.ts';
import { TASK_NOT_ENDED } from '../src/contracts/payload/early-queries.ts';

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error';
const levels: Record<LogLevel, Level> = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
};

const TURN = turnWorkflowId('');

/** Lines of a turn have the id of its request, as those of the gateway do (docs/operations.md "Monitoring"). */
const requestOf = (meta: LogMetadata | undefined): { readonly requestId?: string } => {
  const workflowId: unknown = meta?.['workflowId'];
  const isTurn = typeof workflowId === 'string' && workflowId.startsWith(TURN);
  return isTurn ? { requestId: workflowId.slice(TURN.length) } : {};
};

/** A query that came too early is sent again: an operator need not look at it. */
const isEarlyQuery = (meta: LogMetadata | undefined): boolean => {
  const error: unknown = meta?.['error'];
  return error instanceof Error && error.message === TASK_NOT_ENDED;
};

/** Returns a logger that writes Temporal's own log lines to the process's log. */
export const temporalLogger = (log: Pino): Logger => {
  const write = (level: Level) => (message: string, meta?: LogMetadata) =>
    log[isEarlyQuery(meta) ? 'debug' : level]({ ...requestOf(meta), ...meta }, message);
  return {
    log: (level, message, meta) => write(levels[level])(message, meta),
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
};
