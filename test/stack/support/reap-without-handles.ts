/**
 * Reaps processes while this process has no handle left to look at them, and a moment later has handles again. Each
 * argument is a line of the reap list.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { reapGroups, reapProcesses, remainingEntries } from '../../../src/stack/processes/reap.ts';
import { printWithHandlesLeft } from '../../support/few-handles.ts';

const entries = remainingEntries(process.argv.slice(2).join('\n'));
let reaping = Promise.resolve();
await printWithHandlesLeft(0, async () => {
  reaping = reapProcesses(entries, 10_000);
  await Promise.race([reaping, delay(100)]);
  reapGroups(entries);
  return 'unknown';
});
await reaping;
