/**
 * Resolves `graceMs` after `signal` is aborted, never before, and never once disposed. Disposing takes the
 * listener off: a signal that lives as long as a turn would otherwise gather one per tool call.
 */
export const afterAbort = (
  signal: AbortSignal,
  graceMs: number,
): { readonly promise: Promise<undefined>; readonly dispose: () => void } => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let timer: NodeJS.Timeout | undefined;
  const aborted = () => {
    timer = setTimeout(() => resolve(undefined), graceMs);
  };
  if (signal.aborted) aborted();
  else signal.addEventListener('abort', aborted, { once: true });
  const dispose = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', aborted);
  };
  return { promise, dispose };
};
