const signedOut = new EventTarget();

/**
 * Calls the listeners of `onSignedOut`. Call it when the gateway no longer accepts the cookie of this browser, or was
 * asked to remove it.
 */
export const announceSignOut = (): void => void signedOut.dispatchEvent(new Event('out'));

/** Calls `run` at each `announceSignOut`. Returns a function that ends these calls. */
export const onSignedOut = (run: () => void): (() => void) => {
  signedOut.addEventListener('out', run);
  return () => signedOut.removeEventListener('out', run);
};
