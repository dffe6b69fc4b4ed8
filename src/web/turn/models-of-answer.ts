/* The models that have given an answer. All functions here are pure. */
import type { AnswerEntry } from './answer-view.ts';

/**
 * Matches the text of `fallbackNotice` in the protocol core. Captures the model that is not available and the one that
 * answers.
 */
const FALLBACK_NOTICE = /The model (\S+) is not available; (\S+) answers\./;

/**
 * Returns the models of an answer in the order in which they were asked: `first`, then those that took over. If `first`
 * is unknown, the first notice of a fallback names it.
 */
export const modelsOfAnswer = (
  first: string | undefined,
  entries: readonly AnswerEntry[],
): readonly string[] => {
  const fallbackNotices = entries.flatMap((entry) =>
    entry.kind === 'notice' && entry.notice === 'model_fallback'
      ? [FALLBACK_NOTICE.exec(entry.text) ?? []]
      : [],
  );
  const [, unavailable] = fallbackNotices[0] ?? [];
  const later = fallbackNotices.map(([, , model]) => model);
  return [first ?? unavailable, ...later].filter((model) => model !== undefined);
};
