import { NUL } from './ascii.ts';
import { KIB } from '../../contracts/values/units.ts';

const PROBE_BYTES = 8 * KIB;

/**
 * Reports whether a file that begins with `bytes` is binary, which is the case if its first `PROBE_BYTES` contain a
 * NUL. This is nearly the rule of git.
 */
export const isBinary = (bytes: Buffer): boolean => bytes.subarray(0, PROBE_BYTES).includes(NUL);
