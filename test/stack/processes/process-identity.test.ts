import { expect, it } from '@jest/globals';
import { readCommandLine, readStartTime } from '../../../src/stack/processes/process-identity.ts';
import { runWithFewHandles } from '../../support/few-handles.ts';

/** Larger than the largest pid of Linux (`pid_max`, proc(5)). */
const NO_PROCESS = 2 ** 22 + 1;

it('a process is described by its command line and its start time', () => {
  expect(readCommandLine(process.pid)).toMatch(/^\S*node .*jest/);
  expect(readStartTime(process.pid)).toMatch(/^\S+$/);
});

it('where there is no process, there is neither', () => {
  expect([readCommandLine(NO_PROCESS), readStartTime(NO_PROCESS)]).toEqual(['', undefined]);
});

// Whoever took a living process for none would remove its lock.
it.each(['readCommandLine', 'readStartTime'])('%s fails when no handle is left to look', async (name) => {
  const script = new URL('../support/identity-without-handles.ts', import.meta.url);
  expect(JSON.parse(await runWithFewHandles(script, name))).toMatchObject({ code: 'EMFILE' });
});
