import { MAX_CALLS_PER_ANSWER } from '../../contracts/tools/tool-call.ts';
import { fallbackSentence } from '../../contracts/wire/fallback-sentence.ts';
import type { Notice } from '../../contracts/wire/turn-event.ts';

/**
 * The text of a notice: `system` is the system message to the model, if there is one, and `chunk` the text for the
 * user.
 */
export interface NoticeText {
  readonly notice: Notice;
  readonly system?: string;
  readonly chunk: string;
}

const noticeText = (notice: Notice, text: string): NoticeText => ({
  notice,
  system: text,
  chunk: `\n\n**System Notice**: ${text}\n\n`,
});

/**
 * The notice about a duplicate in the two-stage protocol. Clients and models rely on this text, and on the others here,
 * word by word (docs/protocol.md "What the model is told").
 */
export const DUPLICATE_NOTICE = noticeText(
  'duplicate',
  'Duplicate tool call detected (already executed in this turn). Do NOT call this tool again. Use previous results.',
);

/** The notice about calls of an answer that are not complete (docs/protocol.md "Malformed call"). */
export const MALFORMED_NOTICE = noticeText(
  'malformed',
  'Tool call incomplete or malformed. Continue reasoning.',
);

/** The notice about an answer with more than `MAX_CALLS_PER_ANSWER` calls, of which none was run. */
export const TOO_MANY_CALLS_NOTICE = noticeText(
  'malformed',
  `Tool call incomplete or malformed: more than ${MAX_CALLS_PER_ANSWER} tool calls in one answer, none of them was run. Continue reasoning.`,
);

/** Returns the notice of a limit after which the model answers without tools. */
export const limitNotice = (notice: Notice, sentence: string): NoticeText => ({
  notice,
  system: `${sentence} Provide final answer without further tool calls.`,
  chunk: `\n\n**System Notice**: ${sentence} Provide final answer.\n\n`,
});

/**
 * The notice that the token budget of the turn (`maxTurnTokens`) is used up. It is for the user only, since no model
 * call follows.
 */
export const TOKEN_LIMIT: NoticeText = {
  notice: 'token_limit',
  chunk: '\n\n**System Notice**: Maximum turn length reached.\n\n',
};

/**
 * The notice of a cost limit, also for the user only. The turn ends because the next model call could cost more than
 * the turn or its key may spend.
 */
export const COST_LIMIT: NoticeText = {
  notice: 'cost_limit',
  chunk: '\n\n**System Notice**: Maximum turn cost reached.\n\n',
};

/** Returns the notice, for the user only, that another model answers because one is not available. */
export const fallbackNotice = (unavailable: string, model: string): NoticeText => ({
  notice: 'model_fallback',
  chunk: `\n\n**System Notice**: ${fallbackSentence({ unavailable, model })}\n\n`,
});

/** Returns the notice of calls that plan mode refuses. `names` are their tools. */
export const planModeNotice = (names: readonly string[]): NoticeText => ({
  notice: 'plan_mode',
  system: `Refusal: The tool calls [${names.join(', ')}] were blocked by system policy because the user is in PLAN mode. You must ask the user to switch to ACT mode if these actions are required.`,
  chunk: `\n\n**System Notice:** The following tool calls were blocked because they are not allowed in PLAN mode: ${names.join(', ')}. Switch to ACT mode to execute write operations.`,
});

/** Returns the notice of a repeated call in the standard protocol. */
export const duplicateNotice = (label: string): NoticeText => ({
  notice: 'duplicate',
  system: `Stop: ${label} was blocked as DUPLICATE_BLOCKED. You MUST NOT retry this tool call again in this turn. Use the previous results provided in the TOOL RESULT payload.`,
  chunk:
    '\n\n**System Notice:** Tool call was blocked as DUPLICATE_BLOCKED. Do NOT call this tool again in this turn. Reuse the previous results included below.\n\n',
});

/**
 * The message to the model, and not to the user, when a turn continues after a limit. It must not sound like the
 * notices of limits and refusals above, because every tool may be called again.
 */
export const MORE_TOOLS_MESSAGE = 'The user wants you to go on: more tools may run in this turn.';

/** Returns the advice to the model, and not to the user, after the result of a failed call. */
export const failureAdvice = (isRetryable: boolean): string =>
  isRetryable
    ? 'The tool call failed for a passing reason. You may try it once more, or answer with what you have.'
    : 'The tool call failed. Correct the arguments, choose another way, or answer with what you have; do not repeat the identical call.';
