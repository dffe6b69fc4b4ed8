import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const TAIL_BYTES = 4096;
const TAIL_LINES = 20;

/** The last lines of a log file, however large it is; empty when it cannot be read. */
export const tailOf = (path: string): string => {
  try {
    const file = openSync(path, 'r');
    const { size } = fstatSync(file);
    const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    closeSync(file);
    return buffer.toString('utf8').trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  } catch {
    return '';
  }
};
