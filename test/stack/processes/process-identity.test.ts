import { expect, it } from '@jest/globals';
import { commandLineOf, startTimeOf } from '../../../src/stack/processes/process-identity.ts';
import { runWithFewHandles } from '../../support/few-handles.ts';

/** Larger than the largest pid of Linux (`pid_max`, proc(5)). */
const NO_PROCESS = 2 ** 22 + 1;

it('a process is described by its command line and its start time', () => {
  expect(commandLineOf(process.pid)).toMatch(/^\S*node .*jest/);
  expect(startTimeOf(process.pid)).toMatch(/^\S+$/);
});

it('where there is no process, there is neither', () => {
  expect([commandLineOf(NO_PROCESS), startTimeOf(NO_PROCESS)]).toEqual(['', undefined]);
});

// Whoever took a living process for none would remove its lock.
it.each(['commandLineOf', 'startTimeOf'])('%s fails when no handle is left to look', async (name) => {
  const script = new URL('../support/identity-without-handles.ts', import.meta.url);
  expect(JSON.parse(await runWithFewHandles(script, name))).toMatchObject({ code: 'EMFILE' });
});
