/*
 * A separate process that outlives the supervisor by about a second. It reads lines `+pid SIGNAL start-time` and `-pid`
 * on stdin. The end of stdin means that the supervisor has ended, in whatever way, or has closed the list. The reaper
 * then stops all processes that are still listed.
 */
import { text } from 'node:stream/consumers';
import { reapProcesses, reapGroups, remainingEntries } from './reap.ts';

/** Milliseconds that processes have to end before they are killed. */
const GRACE_MS = 500;

process.title = 'orion-reaper';
// Started detached, so that Ctrl-C does not reach it. It also survives these signals when they are sent to all
// processes of its name.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
const listed = remainingEntries(await text(process.stdin));
await reapProcesses(listed, GRACE_MS);
reapGroups(listed);
