/** Checks that a program which cannot be started fails the call that needs it, with the reason, and nothing else. */
import { describe, expect, it } from '@jest/globals';
import { runWithFewHandles } from '../support/few-handles.ts';
import { programStarts } from './support/program-starts.ts';

const script = new URL('./support/start-without-handles.ts', import.meta.url);

describe('a process without a handle left', () => {
  it.each([
    ['ripgrep', { code: 'EMFILE', message: 'the search program could not be started (EMFILE)' }],
    ['command', { name: 'SandboxError', message: expect.stringContaining('EMFILE') }],
    ['sandboxed', { name: 'SandboxError', message: expect.stringContaining('EMFILE') }],
    ['mcp', { code: 'EMFILE', message: expect.stringContaining('EMFILE') }],
  ])('lives on when it cannot start a program: %s', async (start, failure) => {
    expect(JSON.parse(await runWithFewHandles(script, start))).toMatchObject(failure);
  });
});

describe('arguments that are too long', () => {
  const tooLong = ['x'.repeat(4 * 1024 ** 2)];

  it('are an error of ripgrep, not one of the searched path', async () => {
    const failure = programStarts.ripgrep(tooLong);
    await expect(failure).rejects.toThrow('the search program could not be started (E2BIG)');
    await expect(failure).rejects.not.toHaveProperty('code');
  });

  it('are a failure of the sandbox', async () => {
    const failure = { name: 'SandboxError', message: expect.stringContaining('spawn E2BIG') };
    await expect(programStarts.command(tooLong)).rejects.toMatchObject(failure);
  });
});
