/* The part of the address after `#`, which changes with what a person opens, zooms and moves. */

/**
 * Milliseconds between changes: browsers accept some hundred changes of an address in half a minute, and refuse more.
 */
const MIN_INTERVAL_MS = 400;

interface PendingHash {
  readonly hash: string;
  /** The address for which the hash is meant. */
  readonly address: string;
}

let pending: PendingHash | undefined;
let wroteAt = Number.NEGATIVE_INFINITY;

const addressNow = (): string => location.pathname + location.search;

const write = (): void => {
  if (!pending) return;
  const { hash, address } = pending;
  pending = undefined;
  // A person who has gone elsewhere meanwhile is not led back.
  if (address !== addressNow()) return;
  wroteAt = performance.now();
  history.replaceState(null, '', address + hash);
};

/** Puts a hash into the address, empty for none: at once, or a moment after the change before. */
export const setAddressHash = (hash: string): void => {
  const isPlanned = pending !== undefined;
  pending = { hash, address: addressNow() };
  if (isPlanned) return;
  const wait = wroteAt + MIN_INTERVAL_MS - performance.now();
  if (wait <= 0) write();
  else setTimeout(write, wait);
};

/** Returns the hash of the address, or the one that it is about to have. */
export const readAddressHash = (): string => pending?.hash ?? location.hash;
