/**
 * A log as a port, pino's form: fields, then the sentence. Whoever needs a part of it takes that part: `Pick<Log,
 * 'warn'>`.
 */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
