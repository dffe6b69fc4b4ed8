import { createYieldToLoop } from '../../base/timing/yield-to-loop.ts';
import type { ModelMessage } from '../../contracts/model/model-message.ts';
import { redact } from '../../trace/redact.ts';
import { nextOffsetOf } from './next-offset.ts';

interface Block {
  readonly tokens: number;
  readonly message: ModelMessage;
}

/**
 * The part of a prompt to show: at most `limit` messages from the index `offset` on, with at most `characters` UTF-16
 * units of each.
 */
export interface PromptPageQuery {
  readonly limit: number;
  readonly offset: number;
  readonly characters: number;
}

type CutBlock<B extends Block> = Omit<B, 'message'> & {
  readonly role: ModelMessage['role'];
  readonly content: string;
  readonly isCut: boolean;
};

/**
 * A page of a prompt as people see it. `tokens` and `total` are the tokens and the messages of the whole prompt.
 * `nextOffset` is where the next page begins, or null if this is the last one.
 */
export interface PromptPage<B extends Block> {
  readonly tokens: number;
  readonly blocks: CutBlock<B>[];
  readonly total: number;
  readonly nextOffset: number | null;
}

/**
 * Number of UTF-16 units that are searched for secrets, for each unit that is shown. A secret that begins in the shown
 * part is found only if it ends within them.
 */
const SEARCHED_PER_SHOWN = 4;

/** Largest number of tool calls that are shown of one message. */
const MAX_CALLS = 10;

/** Returns a page of a prompt: the beginning of each message, with secrets redacted as in traces. */
export const cutPromptPage = async <B extends Block>(
  blocks: readonly B[],
  { limit, offset, characters }: PromptPageQuery,
): Promise<PromptPage<B>> => {
  const page: CutBlock<B>[] = [];
  const yieldToLoop = createYieldToLoop();
  for (const block of blocks.slice(offset, offset + limit)) {
    page.push(toCutBlock(block, characters));
    // Searching a text of names and values for secrets takes milliseconds. Streams get their turn in between.
    await yieldToLoop();
  }
  return {
    tokens: blocks.reduce((sum, { tokens }) => sum + tokens, 0),
    blocks: page,
    total: blocks.length,
    nextOffset: nextOffsetOf({ offset }, page.length, blocks.length),
  };
};

const toCutBlock = <B extends Block>({ message, ...block }: B, characters: number): CutBlock<B> => {
  const searchedCharacters = SEARCHED_PER_SHOWN * characters;
  const [content, ...calls] = textsOf(message);
  const text = [
    redactedBeginning(content, searchedCharacters),
    ...calls.map(([name, args]) => `${name} ${redactedBeginning(args, searchedCharacters)}`),
  ]
    .filter((part) => part !== '')
    .join('\n');
  const isCut = text.length > characters || content.length > searchedCharacters;
  return { ...block, role: message.role, content: text.slice(0, characters).toWellFormed(), isCut };
};

/** Returns the first `searchedCharacters` units of a text without secrets. A text of JSON is searched as JSON. */
const redactedBeginning = (text: string, searchedCharacters: number): string => {
  const redacted = redact(text.slice(0, searchedCharacters).toWellFormed());
  return typeof redacted === 'string' ? redacted : '';
};

/** Returns the words of a message, and as many of its calls as can be shown. */
const textsOf = (message: ModelMessage): readonly [string, ...(readonly [name: string, args: string])[]] => {
  if (message.role !== 'assistant' || !message.tool_calls) return [message.content];
  const calls = message.tool_calls.slice(0, MAX_CALLS);
  return [message.content, ...calls.map(({ function: { name, arguments: args } }) => [name, args] as const)];
};
