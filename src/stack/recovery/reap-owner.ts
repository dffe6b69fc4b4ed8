import { readFileSync } from 'node:fs';
import { startTimeOf } from './process-identity.ts';
import { remaining } from './reap-lines.ts';

/** Text of a reap list; empty when there is none. */
export const readReapList = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** The first line names the supervisor itself, in the form of the others but for its sign. */
const ownerOf = (text: string): string => (text.split('\n')[0] ?? '').replace('=', '+');

/** Pid of the supervisor that keeps this list; undefined when it has ended, whoever has its pid now. */
export const liveOwner = (file: string): number | undefined => {
  const [owner] = remaining(ownerOf(readReapList(file)));
  return owner !== undefined && startTimeOf(owner.pid) === owner.startTime ? owner.pid : undefined;
};
