/*
 * A separate process that outlives the supervisor by about a second. It reads `+pid SIGNAL start-time` and `-pid` lines
 * on stdin; the end of stdin means that the supervisor is gone, however it ended, and everything that is still listed
 * is stopped then.
 */
import { text } from 'node:stream/consumers';
import { reapProcesses, reapGroups, remainingEntries } from './reap.ts';

const GRACE_MS = 500;

process.title = 'orion-reaper';
// Started detached, so that Ctrl-C does not reach it; a signal to all processes of its name must not disarm it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
const left = remainingEntries(await text(process.stdin));
await reapProcesses(left, GRACE_MS);
reapGroups(left);
