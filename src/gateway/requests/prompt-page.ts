import { setImmediate as nextTick } from 'node:timers/promises';
import type { ModelMessage } from '../../contracts/model/model-message.ts';
import { redact } from '../../trace/redact.ts';
import { nextOffsetOf } from './send-json.ts';

interface Block {
  readonly tokens: number;
  readonly message: ModelMessage;
}

/** How many messages are shown, and how much of each, in UTF-16 units. */
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

/** A page of a prompt as people see it, with the tokens of the whole prompt. */
export interface PromptPage<B extends Block> {
  readonly tokens: number;
  readonly blocks: CutBlock<B>[];
  readonly total: number;
  readonly nextOffset: number | null;
}

/**
 * Units that are searched for secrets, for each unit that is shown: a secret that begins in the shown part ends within
 * them.
 */
const SEARCHED_PER_SHOWN = 4;

const MAX_CALLS = 10;

/** Shows a page of a prompt: the beginning of each message without secrets, as in traces. */
export const pageOfPrompt = async <B extends Block>(
  blocks: readonly B[],
  { limit, offset, characters }: PromptPageQuery,
): Promise<PromptPage<B>> => {
  const page: CutBlock<B>[] = [];
  for (const block of blocks.slice(offset, offset + limit)) {
    page.push(shown(block, characters));
    // Searching for secrets takes milliseconds where a text consists of names and values: streams get their turn in
    // between.
    await nextTick();
  }
  return {
    tokens: blocks.reduce((sum, { tokens }) => sum + tokens, 0),
    blocks: page,
    total: blocks.length,
    nextOffset: nextOffsetOf({ offset }, page.length, blocks.length),
  };
};

const shown = <B extends Block>({ message, ...block }: B, characters: number): CutBlock<B> => {
  const readCharacters = SEARCHED_PER_SHOWN * characters;
  const [content, ...calls] = textsOf(message);
  const text = [
    readable(content, readCharacters),
    ...calls.map(([name, args]) => `${name} ${readable(args, readCharacters)}`),
  ]
    .filter((part) => part !== '')
    .join('\n');
  const isCut = text.length > characters || content.length > readCharacters;
  return { ...block, role: message.role, content: text.slice(0, characters).toWellFormed(), isCut };
};

/** Returns the text without secrets. A text of JSON is read as JSON. */
const readable = (text: string, readCharacters: number): string => {
  const redacted = redact(text.slice(0, readCharacters).toWellFormed());
  return typeof redacted === 'string' ? redacted : '';
};

/** Returns the words of a message, and as many of its calls as can be shown. */
const textsOf = (message: ModelMessage): readonly [string, ...(readonly [name: string, args: string])[]] => {
  if (message.role !== 'assistant' || !message.tool_calls) return [message.content];
  const calls = message.tool_calls.slice(0, MAX_CALLS);
  return [message.content, ...calls.map(({ function: { name, arguments: args } }) => [name, args] as const)];
};
