/**
 * A log as a port, in pino's form: fields, then the sentence. Code that needs only a part of it takes that part:
 * `Pick<Log, 'warn'>`.
 */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
