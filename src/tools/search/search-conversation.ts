import { z } from 'zod';
import { shortenToJsonBytes, truncateToJsonBytes } from '../../base/json/json-text.ts';
import type { RecalledText, RecallRepository } from '../../db/conversations/recall-repository.ts';
import { DEFAULT_SEARCH_MATCHES } from '../../contracts/tools/built-in-tools.ts';
import { isDatabaseUnavailable } from '../../db/connection/database-unavailable.ts';
import { builtInTool } from '../built-in-tool.ts';
import type { Tool } from '../tool.ts';

const MAX_WORDS = 12;
const MAX_WORD_CHARACTERS = 100;
const MAX_MATCHES = 10;
/**
 * Largest size of all shown matches together, in bytes of JSON, so that the result stays below 8 KiB. Matches beyond it
 * are left out.
 */
const MAX_SHOWN_BYTES = 7_900;
/** Largest excerpt of one match, in bytes as JSON. */
const EXCERPT_BYTES = 560;
const ARGUMENT_BYTES = 80;
/** Largest number of characters that an excerpt shows before its word. */
const CHARACTERS_BEFORE = 120;

const inputSchema = z.strictObject({
  query: z
    .string()
    .max(1_000)
    .refine((text) => wordsOf(text).length > 0, 'expected a word or more')
    .describe('A few words that stand in what is looked for, names and numbers above all'),
  limit: z
    .number()
    .int()
    .min(1)
    .max(MAX_MATCHES)
    .default(DEFAULT_SEARCH_MATCHES)
    .describe('How many places are shown at most'),
});

/**
 * Creates `ConversationTool_search`, which searches earlier turns of a conversation for words, also in what the prompt
 * leaves out.
 */
export const createSearchConversationTool = (
  recall: RecallRepository['recall'],
): Tool<z.infer<typeof inputSchema>> => ({
  ...builtInTool('ConversationTool_search'),
  description:
    'Search earlier turns of this conversation for words: what was said in them and what tools returned, also where it is left out of the prompt. Answers with the places that hold the most of them.',
  input: inputSchema,
  async execute({ query, limit }, { turnId, projectId }) {
    const words = wordsOf(query);
    try {
      const { texts, searchedTurns, isWhole } = await recall({ turnId, projectId, words, limit });
      const note = isWhole ? {} : { note: `Only the newest ${searchedTurns} turns were searched.` };
      return {
        ok: true,
        result: { matches: fitting(texts.map((match) => shownMatch(match, words))), ...note },
      };
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      return { ok: false, error: 'the earlier turns could not be read in time', isTransient: true };
    }
  },
});

/**
 * Returns the words of a text in lower case, each once: at most `MAX_WORDS` words of at most `MAX_WORD_CHARACTERS`. A
 * text without blanks and ASCII punctuation, as in Chinese, is one word.
 */
const wordsOf = (text: string): readonly string[] => {
  const words = text
    .toLowerCase()
    .split(/[\s"'`,;:!?()[\]{}<>|\0]+/u)
    .map((word) =>
      word
        .replaceAll(/^[.*-]+|[.*-]+$/g, '')
        .slice(0, MAX_WORD_CHARACTERS)
        .toWellFormed(),
    )
    .filter((word) => word !== '');
  return [...new Set(words)].slice(0, MAX_WORDS);
};

const shownMatch = (match: RecalledText, words: readonly string[]) => ({
  turn: match.turnId,
  at: `${match.startedAt.toISOString().slice(0, 16)}Z`,
  place: placeOf(match),
  text: excerptOf(match.content, words),
});

/** Returns as many of the first matches as fit into `MAX_SHOWN_BYTES` together. */
const fitting = (matches: readonly ReturnType<typeof shownMatch>[]) => {
  let room = MAX_SHOWN_BYTES;
  return matches.filter((match) => (room -= Buffer.byteLength(JSON.stringify(match)) + 1) >= 0);
};

const placeOf = ({ kind, call }: RecalledText): string => {
  switch (kind) {
    case 'user':
      return 'message of the user';
    case 'orion':
      return 'answer';
    case 'system':
      return 'note';
    case 'result':
      return call === null
        ? 'result of a tool'
        : `result of ${call.name} ${shortenToJsonBytes(call.arguments, ARGUMENT_BYTES)}`;
    default:
      return kind satisfies never;
  }
};

/**
 * Returns the text around the first place of the query's rarest word, since the other words are most likely near it. If
 * `content` has none of the words, its beginning is returned.
 */
const excerptOf = (content: string, words: readonly string[]): string => {
  const text = content.toLowerCase();
  const counted = words.map((word) => ({ at: text.indexOf(word), count: text.split(word).length - 1 }));
  const [rarest] = counted.filter(({ count }) => count > 0).toSorted((a, b) => a.count - b.count);
  const from = Math.max(0, indexBeforeLowering(content, text, rarest?.at ?? 0) - CHARACTERS_BEFORE);
  const rest = content.slice(from, from + EXCERPT_BYTES).toWellFormed();
  const excerpt = truncateToJsonBytes(rest, EXCERPT_BYTES);
  const isEnd = from + excerpt.length >= content.length;
  return `${from > 0 ? '…' : ''}${excerpt}${isEnd ? '' : '…'}`;
};

/**
 * Returns the index in `text` of the character that is at `lowerIndex` in `lower`, its lower case. Lowering can
 * lengthen a text: `İ` becomes two characters.
 */
const indexBeforeLowering = (text: string, lower: string, lowerIndex: number): number => {
  // No lower case is shorter, so the indexes of a text of the same length are the same.
  if (lower.length === text.length) return lowerIndex;
  let index = 0;
  let lowered = 0;
  for (const character of text) {
    if (lowered >= lowerIndex) break;
    lowered += character.toLowerCase().length;
    index += character.length;
  }
  return index;
};
