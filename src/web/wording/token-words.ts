/*
 * Numbers of tokens in words. Unknown numbers are left out, and an estimate is marked as one. All functions here are
 * pure.
 */
import type { TokenUsage } from '../../contracts/model/model-message.ts';
import { numberWords } from './number-words.ts';

interface UsageFigures {
  readonly promptTokens?: number | undefined;
  readonly completionTokens?: number | undefined;
  readonly estimated?: boolean | undefined;
}

/**
 * Returns the tokens of prompts, or undefined if they are not known. If a call was cut off, its prompt was not counted,
 * and its usage is an estimate with 0 prompt tokens (docs/protocol.md "Budgets").
 */
export const knownPromptTokens = ({ promptTokens, estimated }: UsageFigures): number | undefined =>
  estimated === true && promptTokens === 0 ? undefined : promptTokens;

/** Returns the tokens of answers, or undefined if they are not known. */
export const knownCompletionTokens = ({ completionTokens, estimated }: UsageFigures): number | undefined =>
  estimated === true && completionTokens === 0 ? undefined : completionTokens;

/**
 * Returns `at least `, to stand before a number of tokens read, if the prompts of some calls were not counted. Returns
 * an empty text otherwise.
 */
export const promptTokensHedge = ({ estimated }: UsageFigures): string =>
  estimated === true ? 'at least ' : '';

/**
 * Returns the word before a number of tokens written, which is `about` if the number is estimated from the text and
 * empty otherwise.
 */
export const completionTokensHedge = ({ estimated }: UsageFigures): string =>
  estimated === true ? 'about ' : '';

/** Returns the usage in words, as far as it is known: `1,200 tokens read (300 cached), 40 written`. */
export const usageWords = (usage: TokenUsage): string => {
  const { cachedTokens = 0 } = usage;
  const [promptTokens, completionTokens] = [knownPromptTokens(usage), knownCompletionTokens(usage)];
  const cached = cachedTokens > 0 ? ` (${numberWords(cachedTokens)} cached)` : '';
  return [
    ...(promptTokens === undefined
      ? []
      : [`${promptTokensHedge(usage)}${numberWords(promptTokens)} tokens read${cached}`]),
    ...(completionTokens === undefined
      ? []
      : [
          `${completionTokensHedge(usage)}${numberWords(completionTokens)} ${promptTokens === undefined ? 'tokens ' : ''}written`,
        ]),
  ].join(', ');
};
