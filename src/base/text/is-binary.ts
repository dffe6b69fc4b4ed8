import { NUL } from './ascii.ts';

const PROBE_BYTES = 8 * 1024;

/**
 * Reports whether a file that begins with `bytes` is binary. It is if its first 8 KiB contain a NUL, nearly as git
 * decides.
 */
export const isBinary = (bytes: Buffer): boolean => bytes.subarray(0, PROBE_BYTES).includes(NUL);
