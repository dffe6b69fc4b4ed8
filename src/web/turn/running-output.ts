/*
 * The output of commands while they run. It is not part of the event list, and disappears when the call ends. All
 * functions here are pure.
 */
import type { ToolOutput } from '../../contracts/wire/tool-output.ts';
import type { AnswerEntry } from './answer-entry.ts';

/** The end of the output of each call, by the id of the call. */
export type RunningOutput = ReadonlyMap<string, string>;

/** The output before any command has written some. */
export const EMPTY_OUTPUT: RunningOutput = new Map();

/** Number of characters at the end of the output that are kept for each call, to be shown while it runs. */
const MAX_CHARACTERS = 32_000;

/** Returns the output with one more piece. Of each call only the end is kept. */
export const addOutput = (output: RunningOutput, { callId, content }: ToolOutput): RunningOutput => {
  const text = (output.get(callId) ?? '') + content;
  return new Map(output).set(callId, text.slice(-MAX_CHARACTERS));
};

/** Returns the output of the calls that are requested or running. */
export const outputOfOpenCalls = (output: RunningOutput, entries: readonly AnswerEntry[]): RunningOutput => {
  if (output.size === 0) return output;
  const isOpenCall = (callId: string): boolean => {
    const call = entries.findLast((entry) => entry.kind === 'call' && entry.callId === callId);
    return call?.kind === 'call' && (call.state === 'running' || call.state === 'asked');
  };
  return new Map([...output].filter(([callId]) => isOpenCall(callId)));
};
