import { messageTokens, promptTokens } from '../base/text/message-tokens.ts';
import type { LeftOut, ResultPlace } from '../contracts/model/left-out.ts';
import type { ModelMessage } from '../contracts/model/model-message.ts';
import type { SentStep } from '../contracts/model/sent-step.ts';
import { leftOutResult } from '../protocol/turn/left-out-result.ts';
import { withSurroundingsOf } from './carried-surroundings.ts';
import { type EarlierMessages, wholePrompt } from './whole-prompt.ts';

/** The parts of a prompt, before anything is left out to make it fit. */
export interface PromptParts {
  readonly earlier: EarlierMessages;
  /**
   * The turn's own messages, grouped by the model call that was first sent them. The last group belongs to the call
   * whose prompt this is.
   */
  readonly steps: readonly SentStep[];
}

const NOTHING: LeftOut = { turns: 0, results: [] };

/**
 * Returns the turn with which the earlier messages of a prompt begin. Returns null if the turn's own steps contain all
 * messages before it: an earlier version stored these with the turn's first step.
 */
export const anchorOfEarlier = ({
  anchorTurnId,
  steps,
}: {
  readonly anchorTurnId: string | null;
  readonly steps: readonly SentStep[];
}): string | null => (steps[0]?.messages[0]?.role === 'system' ? null : anchorTurnId);

/**
 * Returns the messages of a prompt without what `leftOut` names: earlier turns are omitted, and each result is replaced
 * by a line. Null leaves nothing out.
 */
export const promptWithout = (parts: PromptParts, leftOut: LeftOut | null): ModelMessage[] => {
  const { turns, results } = leftOut ?? NOTHING;
  const places = new Set(results.map(keyOf));
  const ownMessages = parts.steps.flatMap(({ step, messages }) =>
    messages.map((message, index) =>
      places.has(keyOf({ step, at: index })) ? (leftOutResult(message) ?? message) : message,
    ),
  );
  return turns === 0
    ? wholePrompt(parts.earlier, ownMessages)
    : wholePrompt(...withoutTurns(parts.earlier, turns, ownMessages));
};

const keyOf = ({ step, at }: ResultPlace): string => `${step}.${at}`;

const withoutTurns = (
  { system, turns, summary }: EarlierMessages,
  count: number,
  ownMessages: readonly ModelMessage[],
): [EarlierMessages, readonly ModelMessage[]] => {
  const messages = [...turns.slice(count).flat(), ...ownMessages];
  const first = messages.findIndex(({ role }) => role === 'user');
  const message = messages[first];
  const partialSummary = summary && { ...summary, isComplete: false };
  const earlier = { system, turns: [], isWhole: false, summary: partialSummary };
  if (message?.role !== 'user') return [earlier, messages];
  return [earlier, messages.with(first, withSurroundingsOf(turns.slice(0, count).flat(), message, messages))];
};

/**
 * Decides what a prompt leaves out so that it has at most `room` tokens, if that is possible. Returns `before`, what
 * earlier calls of the turn left out, if that suffices. Otherwise more is left out (docs/context.md "Window").
 *
 * - Earlier turns are left out first, then results of the turn itself, the oldest first. The newest long result stays.
 * - Earlier turns, or results, are left out until they fill at most half of the room that the other messages leave
 *   them. The beginning of the prompt then changes only once in many calls.
 * - Results that no earlier call was sent are left out one by one, no more than necessary.
 */
export const fitPrompt = (parts: PromptParts, room: number, before: LeftOut | null): LeftOut | null => {
  const sizeWithout = (leftOut: LeftOut): number => promptTokens(promptWithout(parts, leftOut));
  const known = before ?? NOTHING;
  if (sizeWithout(known) <= room) return before;
  const turns = turnsToLeaveOut(parts, known, room);
  const withFewerTurns = { ...known, turns };
  if (sizeWithout(withFewerTurns) <= room) return withFewerTurns;
  const all = { ...known, turns: parts.earlier.turns.length };
  const more = resultsToLeaveOut(parts, all, room - sizeWithout(all));
  return { turns: all.turns, results: [...all.results, ...more] };
};

const turnsToLeaveOut = ({ earlier, steps }: PromptParts, before: LeftOut, room: number): number => {
  const { turns } = earlier;
  const others = promptTokens(promptWithout({ earlier, steps }, { ...before, turns: turns.length }));
  let freeTokens = Math.floor((room - others) / 2);
  let keptCount = 0;
  for (const messages of turns.toReversed()) {
    freeTokens -= promptTokens(messages);
    if (freeTokens < 0) break;
    keptCount += 1;
  }
  return Math.max(before.turns, turns.length - keptCount);
};

interface Candidate {
  readonly place: ResultPlace;
  /** Number of tokens that are saved when the result is left out. */
  readonly tokens: number;
  /** True when an earlier call of the turn was sent the result. */
  readonly isSent: boolean;
}

/**
 * Returns the results to leave out. `free` is the number of tokens that still fit into the prompt, negative if the
 * prompt has too many.
 */
const resultsToLeaveOut = (parts: PromptParts, before: LeftOut, free: number): ResultPlace[] => {
  const candidates = candidatesOf(parts, before);
  const sentBefore = candidates.filter(({ isSent }) => isSent);
  let keptTokens = sentBefore.reduce((sum, { tokens }) => sum + tokens, 0);
  // Half of the room that the other messages leave to results that were sent before.
  const maxKeptTokens = Math.max(0, Math.floor((free + keptTokens) / 2));
  let freeTokens = free;
  const leftOut: ResultPlace[] = [];
  for (const { place, tokens, isSent } of candidates) {
    const mayStay = isSent ? keptTokens <= maxKeptTokens : freeTokens >= 0;
    if (mayStay) continue;
    if (isSent) keptTokens -= tokens;
    freeTokens += tokens;
    leftOut.push(place);
  }
  return leftOut;
};

/** Returns the results that may still be left out, oldest first. Short results and the newest long one always stay. */
const candidatesOf = ({ steps }: PromptParts, { results }: LeftOut): Candidate[] => {
  const leftOutKeys = new Set(results.map(keyOf));
  const last = steps.at(-1)?.step;
  const long = steps.flatMap(({ step, messages }) =>
    messages.flatMap((message, index): Candidate[] => {
      const line = leftOutResult(message);
      if (line === undefined) return [];
      const tokens = messageTokens(message) - messageTokens(line);
      return [{ place: { step, at: index }, tokens, isSent: step !== last }];
    }),
  );
  return long.slice(0, -1).filter(({ place }) => !leftOutKeys.has(keyOf(place)));
};
