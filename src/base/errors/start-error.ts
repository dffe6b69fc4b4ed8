/**
 * The reason why a process could not start, in words for the person who started it. It is shown without a stack trace.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}
