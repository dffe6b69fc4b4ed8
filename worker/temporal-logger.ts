import type { LogLevel, LogMetadata, Logger } from '@temporalio/worker';
import type { Logger as Pino } from 'pino';

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error';
const levels: Record<LogLevel, Level> = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
};

/** Temporal's own log lines in the process's log. */
export const temporalLogger = (log: Pino): Logger => {
  const write = (level: Level) => (message: string, meta?: LogMetadata) => log[level](meta ?? {}, message);
  return {
    log: (level, message, meta) => write(levels[level])(message, meta),
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
};
