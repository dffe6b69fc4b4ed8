/* The part of the address after `#`. It changes with what a person opens, zooms and moves. */

/**
 * Smallest time in milliseconds between two changes of the hash. Browsers accept some hundred changes of an address in
 * half a minute, and refuse more.
 */
const MIN_INTERVAL_MS = 400;

interface PendingHash {
  readonly hash: string;
  /** The address for which the hash is meant. */
  readonly address: string;
}

let pending: PendingHash | undefined;
let wroteAt = Number.NEGATIVE_INFINITY;

/**
 * Sets the hash of the address, with its `#`; an empty text removes it. If the last change was less than
 * `MIN_INTERVAL_MS` ago, the newest hash is set when that time is over, unless the page has gone to another address.
 */
export const setAddressHash = (hash: string): void => {
  const isPlanned = pending !== undefined;
  pending = { hash, address: addressNow() };
  if (isPlanned) return;
  const wait = wroteAt + MIN_INTERVAL_MS - performance.now();
  if (wait <= 0) write();
  else setTimeout(write, wait);
};

/** Returns the hash of the address, or the one that `setAddressHash` has not set yet. */
export const readAddressHash = (): string => pending?.hash ?? location.hash;

const addressNow = (): string => location.pathname + location.search;

const write = (): void => {
  if (!pending) return;
  const { hash, address } = pending;
  pending = undefined;
  // A person who has gone to another address meanwhile is not taken back.
  if (address !== addressNow()) return;
  wroteAt = performance.now();
  history.replaceState(null, '', address + hash);
};
