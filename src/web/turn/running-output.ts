/*
 * The output of commands while they run, by the id of their call; it is in no list, and gone with their result.
 * All functions here are pure.
 */
import type { ToolOutput } from '../../contracts/wire/tool-output.ts';
import type { AnswerEntry } from './answer-view.ts';

/** The end of the output of each call, by the id of the call. */
export type RunningOutput = ReadonlyMap<string, string>;

/** The output before any command has written some. */
export const noOutput: RunningOutput = new Map();

/** Characters of one call that are shown while it runs; its result has all of it. */
const MAX_CHARACTERS = 32_000;

/** Returns the output with one more piece of the output of a command. */
export const addOutput = (output: RunningOutput, { callId, content }: ToolOutput): RunningOutput => {
  const text = (output.get(callId) ?? '') + content;
  return new Map(output).set(callId, text.slice(-MAX_CHARACTERS));
};

/** Returns the output without that of ended calls. */
export const outputOfRunning = (output: RunningOutput, entries: readonly AnswerEntry[]): RunningOutput => {
  if (output.size === 0) return output;
  const isPending = (callId: string): boolean => {
    const call = entries.findLast((entry) => entry.kind === 'call' && entry.callId === callId);
    return call?.kind === 'call' && (call.state === 'running' || call.state === 'asked');
  };
  return new Map([...output].filter(([callId]) => isPending(callId)));
};
