/** Covers the output of running commands: its end is shown, and nothing of commands that have ended. */
import { expect, it } from '@jest/globals';
import type { ToolOutput } from '../../../src/contracts/wire/tool-output.ts';
import type { CallEntry, CallState } from '../../../src/web/turn/answer-entry.ts';
import { addOutput, EMPTY_OUTPUT, outputOfOpenCalls } from '../../../src/web/turn/running-output.ts';

const said = (callId: string, content: string): ToolOutput => ({
  type: 'tool_output',
  callId,
  stream: 'stdout',
  content,
});
const call = (callId: string, state: CallState): CallEntry => ({
  kind: 'call',
  seq: 1,
  callId,
  name: 'TerminalTool_run_command',
  arguments: '{}',
  state,
});

it('the output is kept by call, and only its end where it is long', () => {
  const output = [said('a', 'one '), said('b', 'x'), said('a', 'two')].reduce(addOutput, EMPTY_OUTPUT);
  expect([...output]).toEqual([
    ['a', 'one two'],
    ['b', 'x'],
  ]);
  const long = addOutput(output, said('b', `${'y'.repeat(40_000)}end`)).get('b');
  expect(long).toHaveLength(32_000);
  expect(long?.endsWith('end')).toBe(true);
});

it('the output goes with its call; of two calls under one id the newer one counts', () => {
  const output = [said('a', 'x'), said('b', 'y'), said('c', 'z')].reduce(addOutput, EMPTY_OUTPUT);
  const entries = [call('a', 'ok'), call('b', 'ok'), call('b', 'running'), call('c', 'failed')];
  expect([...outputOfOpenCalls(output, entries).keys()]).toEqual(['b']);
});
