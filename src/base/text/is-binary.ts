import { NUL } from './ascii.ts';

const PROBE_BYTES = 8 * 1024;

/** Tells if a file that begins with `bytes` is no text: git's own test, a NUL within the first 8 KiB. */
export const isBinary = (bytes: Buffer): boolean => bytes.subarray(0, PROBE_BYTES).includes(NUL);
