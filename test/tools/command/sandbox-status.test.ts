import { expect, it } from '@jest/globals';
import { SandboxStatus } from '../../../src/tools/command/sandbox-status.ts';

const statusOf = (...pieces: readonly string[]): SandboxStatus => {
  const status = new SandboxStatus();
  for (const piece of pieces) status.take(Buffer.from(piece));
  return status;
};

it('the status has the first process and the exit code, in whatever pieces they come', () => {
  const { firstProcess, exitCode, signal } = statusOf('{ "child-pid": 4', '2 }\n', '{ "exit-code": 3 }\n');
  expect({ firstProcess, exitCode, signal }).toEqual({ firstProcess: 42, exitCode: 3, signal: undefined });
});

it('the status is empty before anything has come', () => {
  const { firstProcess, exitCode, signal } = statusOf();
  expect([firstProcess, exitCode, signal]).toEqual([undefined, undefined, undefined]);
});

it('the status names the signal behind an exit code', () => {
  expect(statusOf('{ "exit-code": 137 }').signal).toBe('SIGKILL');
});
