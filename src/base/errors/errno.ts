import { fieldsOf } from '../../contracts/values/unchecked-value.ts';

/**
 * Returns the code of an error of Node, such as `ENOENT`, undefined for anything else. It goes by shape, because an
 * error of another realm (a test runner's, a vm context's) is no `instanceof Error` here.
 */
export const errnoOf = (error: unknown): string | undefined => {
  const { code } = fieldsOf(error);
  return typeof code === 'string' && /^E(?!RR_)[A-Z0-9_]+$/.test(code) ? code : undefined;
};

/** Errors of the operating system and of the network that may pass by themselves. */
const TRANSIENT_ERRNOS: ReadonlySet<string> = new Set([
  'EAGAIN',
  'EBUSY',
  'EMFILE',
  'ENFILE',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
]);

/** Reports whether an error of Node may pass by itself, so that the same call may succeed later. */
export const isTransientErrno = (error: unknown): boolean => TRANSIENT_ERRNOS.has(errnoOf(error) ?? '');
