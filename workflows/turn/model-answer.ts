import { patched } from '@temporalio/workflow';
import type { CallModelOutcome } from '../../src/contracts/payload/turn-activity-payloads.ts';
import { MAX_CALLS_PER_ANSWER, type ToolCall } from '../../src/contracts/tools/tool-call.ts';
import { looksComplete } from '../../src/protocol/stream/tool-arguments.ts';
import { estimateUsage } from '../../src/protocol/stream/token-usage.ts';
import { CHARACTERS_PER_TOKEN } from '../../src/contracts/model/model-message.ts';
import type { ModelAnswer } from '../../src/protocol/ports/model-port.ts';
import type { StreamOptions } from '../../src/contracts/model/stream-options.ts';

type Ended = CallModelOutcome & { readonly kind: 'ended' };

/**
 * Returns the answer that the core gets after the activity of a model call has ended: its text from the log, and
 * everything else from the activity's result.
 */
export const modelAnswerOf = (text: string, { calls, end, usage }: Ended): ModelAnswer => {
  const hasTooManyCalls = calls.length > MAX_CALLS_PER_ANSWER && !isUnbounded();
  return { text, calls, hasTooManyCalls, end, usage };
};

/** Returns the answer as this turn reads it. A replay reads it as the code did that made the history. */
export const adaptModelAnswer = (answer: ModelAnswer, options: StreamOptions): ModelAnswer => {
  const olderAnswer = asReadBefore(answer, options);
  const differs =
    olderAnswer.end !== answer.end || olderAnswer.usage.completionTokens !== answer.usage.completionTokens;
  return differs && !patched('answers-are-read-once') ? olderAnswer : answer;
};

/**
 * Reports whether the turn runs every call of an answer, however many. Older code did so, and its histories must
 * replay. `patched` is called only for an answer with more calls than the bound, so that no other turn has a marker in
 * its history.
 */
const isUnbounded = (): boolean => !patched('calls-are-bounded');

/**
 * Returns the answer as older workflow code made it, for replays. That code estimated the usage, and ended an answer at
 * the first of these:
 *
 * - The text exceeds the token budget.
 * - A complete first call is followed by another one (two-stage), or there are too many calls.
 * - Text and calls together exceed the budget.
 */
const asReadBefore = (answer: ModelAnswer, { stopAt, tokenBudget }: StreamOptions): ModelAnswer => {
  const { text, calls, hasTooManyCalls } = answer;
  const { error: _lost, ...unfailed } = answer;
  const budget = tokenBudget * CHARACTERS_PER_TOKEN;
  const output = text.length + sizeOf(calls);
  const [first] = calls;
  const isProven =
    stopAt === 'first-complete-call' && calls.length > 1 && first !== undefined && looksComplete(first);
  if (text.length > budget) {
    return { ...unfailed, calls: [], end: 'tokens', usage: estimateUsage(text.length) };
  }
  if (isProven || hasTooManyCalls) return { ...answer, end: 'tool_calls', usage: estimateUsage(output) };
  return output > budget ? { ...answer, end: 'tokens', usage: estimateUsage(output) } : answer;
};

const sizeOf = (calls: readonly ToolCall[]): number =>
  calls.reduce((sum, { function: called }) => sum + called.name.length + called.arguments.length, 0);
