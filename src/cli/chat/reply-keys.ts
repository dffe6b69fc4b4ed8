import type { ReplyName } from '../../contracts/wire/input-events.ts';

/** The keys of replies. A key, or its word and Enter, means the first of its replies that the request offers. */
const REPLY_KEYS: readonly {
  readonly key: string;
  readonly word: string;
  readonly replies: readonly ReplyName[];
}[] = [
  { key: 'y', word: 'yes', replies: ['allow', 'keep_going'] },
  { key: 'a', word: 'always', replies: ['allow_turn'] },
  { key: 'e', word: 'edit', replies: ['edit'] },
  { key: 'n', word: 'no', replies: ['deny', 'answer_now'] },
];

const REPLY_LABELS: Partial<Record<ReplyName, string>> = {
  allow: 'y allow',
  allow_turn: 'a allow all of this turn',
  edit: 'e edit',
  deny: 'n deny',
  keep_going: 'y keep going',
  answer_now: 'n answer now',
};

/** Returns the part of a prompt that names the replies to a request, with their keys: `y allow · n deny`. */
export const replyLabels = (options: readonly ReplyName[]): string =>
  options.flatMap((reply) => REPLY_LABELS[reply] ?? []).join(' · ');

/** Returns the keys and words that reply to a request with these options. */
export const replyKeysFor = (options: readonly ReplyName[]): readonly string[] =>
  keysFor(options).flatMap(({ key, word }) => [key, word]);

/**
 * Returns the reply that a typed line means among those that a request offers, or undefined if it means none. `escaped`
 * is the Escape key, which means the last key that the request has.
 */
export const replyMeantBy = (
  typed: 'escaped' | { readonly line: string },
  options: readonly ReplyName[],
): ReplyName | undefined => {
  const keys = keysFor(options);
  const chosen = typed === 'escaped' ? keys.at(-1) : keys.find((entry) => isMeant(entry, typed.line));
  return chosen?.replies.find((reply) => options.includes(reply));
};

const keysFor = (options: readonly ReplyName[]): typeof REPLY_KEYS =>
  REPLY_KEYS.filter(({ replies }) => replies.some((reply) => options.includes(reply)));

const isMeant = ({ key, word }: (typeof REPLY_KEYS)[number], line: string): boolean =>
  [key, word].includes(line.trim().toLowerCase());
