import { messageTokens } from '../base/text/message-tokens.ts';
import type { LeftOut, ResultPlace } from '../contracts/model/left-out.ts';
import type { ModelMessage } from '../contracts/model/model-message.ts';
import type { SentStep } from '../db/turns/context-repository.ts';
import { leftOutResult } from '../protocol/turn/left-out-result.ts';
import { withSurroundingsOf } from './carried-surroundings.ts';
import { type EarlierMessages, wholePrompt } from './context-service.ts';

/** A prompt of a turn before anything is left out of it. */
export interface PromptParts {
  readonly earlier: EarlierMessages;
  /** The turn's own messages, by the model call that was first sent them; the last is the one to be made. */
  readonly steps: readonly SentStep[];
}

const NOTHING: LeftOut = { turns: 0, results: [] };

/**
 * Returns the turn with which the earlier messages of a prompt end. Returns null if the turn's own steps have all of
 * them: an earlier release stored what comes before a turn with the turn's first step.
 */
export const anchorOfEarlier = ({
  anchorTurnId,
  steps,
}: {
  readonly anchorTurnId: string | null;
  readonly steps: readonly SentStep[];
}): string | null => (steps[0]?.messages[0]?.role === 'system' ? null : anchorTurnId);

/** Returns the tokens of messages, as they are counted for prompts. */
export const tokensOf = (messages: readonly ModelMessage[]): number =>
  messages.reduce((sum, message) => sum + messageTokens(message), 0);

/** Returns the messages of a prompt as a provider is sent them. Each result that is left out is replaced by a line. */
export const promptWithout = (parts: PromptParts, leftOut: LeftOut | null): ModelMessage[] => {
  const { turns, results } = leftOut ?? NOTHING;
  const places = new Set(results.map(keyOf));
  const own = parts.steps.flatMap(({ step, messages }) =>
    messages.map((message, at) =>
      places.has(keyOf({ step, at })) ? (leftOutResult(message) ?? message) : message,
    ),
  );
  return turns === 0
    ? wholePrompt(parts.earlier, own)
    : wholePrompt(...withoutTurns(parts.earlier, turns, own));
};

const keyOf = ({ step, at }: ResultPlace): string => `${step}.${at}`;

const withoutTurns = (
  { system, turns, summary }: EarlierMessages,
  count: number,
  own: readonly ModelMessage[],
): [EarlierMessages, readonly ModelMessage[]] => {
  const rest = [...turns.slice(count).flat(), ...own];
  const first = rest.findIndex(({ role }) => role === 'user');
  const message = rest[first];
  const partialSummary = summary && { ...summary, isComplete: false };
  const earlier = { system, turns: [], isWhole: false, summary: partialSummary };
  if (message?.role !== 'user') return [earlier, rest];
  return [earlier, rest.with(first, withSurroundingsOf(turns.slice(0, count).flat(), message, rest))];
};

/**
 * Decides what a prompt leaves out so that it has at most `room` tokens. That is `before` if it is enough, otherwise
 * more (docs/context.md "Window").
 *
 * - Earlier turns are left out first, then results of the turn itself, the oldest first and never the last long one.
 * - Each time, half of the room which they had becomes free. The beginning of the prompt then changes only once in many
 *   calls.
 * - Results that no call has been sent yet are left out one by one.
 */
export const fitPrompt = (parts: PromptParts, room: number, before: LeftOut | null): LeftOut | null => {
  const sizeWithout = (leftOut: LeftOut): number => tokensOf(promptWithout(parts, leftOut));
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
  const others = tokensOf(promptWithout({ earlier, steps }, { ...before, turns: turns.length }));
  let left = Math.floor((room - others) / 2);
  const kept = turns.toReversed().findIndex((messages) => (left -= tokensOf(messages)) < 0);
  return Math.max(before.turns, kept < 0 ? 0 : turns.length - kept);
};

interface Candidate {
  readonly place: ResultPlace;
  readonly tokens: number;
  readonly isSent: boolean;
}

/** Finds results that may be left out and are not yet, oldest first. */
const candidatesOf = ({ steps }: PromptParts, { results }: LeftOut): Candidate[] => {
  const gone = new Set(results.map(keyOf));
  const last = steps.at(-1)?.step;
  const long = steps.flatMap(({ step, messages }) =>
    messages.flatMap((message, at): Candidate[] => {
      const line = leftOutResult(message);
      if (line === undefined) return [];
      const tokens = messageTokens(message) - messageTokens(line);
      return [{ place: { step, at }, tokens, isSent: step !== last }];
    }),
  );
  return long.slice(0, -1).filter(({ place }) => !gone.has(keyOf(place)));
};

/**
 * Returns the results to leave out. `free` is the number of tokens that the prompt has left, negative if it has too
 * many.
 */
const resultsToLeaveOut = (parts: PromptParts, before: LeftOut, free: number): ResultPlace[] => {
  const candidates = candidatesOf(parts, before);
  const sent = candidates.filter(({ isSent }) => isSent);
  let kept = sent.reduce((sum, { tokens }) => sum + tokens, 0);
  const most = Math.max(0, Math.floor((free + kept) / 2));
  let left = free;
  return candidates.flatMap(({ place, tokens, isSent }) => {
    if (isSent ? kept <= most : left >= 0) return [];
    if (isSent) kept -= tokens;
    left += tokens;
    return [place];
  });
};
