/* The models that an answer is told to come from. All functions here are pure. */
import type { AnswerEntry } from './answer-view.ts';

/** The words of `fallbackNotice` of the protocol core. */
const FALLBACK_NOTICE = /The model (\S+) is not available; (\S+) answers\./;

/** Returns the models of an answer, in the order in which they were asked: `first`, and those that took over. */
export const modelsOfAnswer = (
  first: string | undefined,
  entries: readonly AnswerEntry[],
): readonly string[] => {
  const tellings = entries.flatMap((entry) =>
    entry.kind === 'notice' && entry.notice === 'model_fallback'
      ? [FALLBACK_NOTICE.exec(entry.text) ?? []]
      : [],
  );
  const [, unavailable] = tellings[0] ?? [];
  const later = tellings.map(([, , model]) => model);
  return [first ?? unavailable, ...later].filter((model) => model !== undefined);
};
