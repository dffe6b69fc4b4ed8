import { SUMMARY_PROMPT_START } from '../contracts/model/prompt-marks.ts';
import type { ChatRequest, RequestMessage } from './chat-request.ts';
import { type ConversationState, readConversation } from './conversation-state.ts';
import { fixOf } from './code-fix.ts';
import { demoLines, readWishes, type DemoWish } from './wishes.ts';
import { callOfWish, type DemoCall, isTool, type CallWish } from './wish-calls.ts';
import { demoAnnouncement, demoAnswer } from './demo-words.ts';

/** The next text of the demo model, and the tool that it calls after that. */
export interface DemoMove {
  readonly text: string;
  readonly call?: DemoCall;
  /** True when the text is a file, which is streamed in whole lines. */
  readonly isFile?: boolean;
}

/** Numbers of lines of a summary, and of characters of each. */
const SUMMARY_LINES = 40;
const SUMMARY_LINE_CHARACTERS = 120;

/**
 * Returns the next move of the demo model. It depends only on messages and tools, so the same prompt always gives the
 * same move.
 */
export const nextMove = ({ messages, tools }: Pick<ChatRequest, 'messages' | 'tools'>): DemoMove => {
  const summary = summaryOf(messages);
  if (summary !== undefined) return { text: summary };
  const conversation = readConversation(messages);
  const wishes = readWishes(conversation.question).flatMap((wish) => callWishesOf(wish, conversation));
  const file = fileToWrite(conversation, wishes);
  if (file) return { text: `${demoLines(file.path, file.lines)}DONE\n`, isFile: true };
  const offered = tools?.map(({ function: { name } }) => name) ?? [];
  const plan = wishes.map((wish) => ({ wish, call: callOfWish(wish, offered) }));
  const possible = plan.flatMap(({ wish, call }) => (call ? [{ wish, call }] : []));
  // Each outcome or refusal so far has used up one call of the plan.
  const next = possible[conversation.outcomes.length + conversation.refusals];
  if (next && !conversation.mustAnswer) {
    return { text: demoAnnouncement(conversation, next.wish), call: next.call };
  }
  const impossible = offered.length > 0 ? plan.filter(({ call }) => !call).map(({ wish }) => wish) : [];
  return { text: demoAnswer(conversation, wishes, impossible) };
};

/**
 * Returns the demo model's summary: the last `SUMMARY_LINES` lines of the previous summary and the first line of each
 * message of the person. Returns undefined when no summary was asked for.
 */
const summaryOf = (messages: readonly RequestMessage[]): string | undefined => {
  const [system, request] = messages;
  if (system?.role !== 'system' || !system.content.startsWith(SUMMARY_PROMPT_START)) return undefined;
  const lines = (request?.content ?? '').split('\n');
  const before = lines[0]?.startsWith('[summary of what came before]')
    ? lines.slice(1, lines.indexOf(''))
    : [];
  const personLines = lines
    .filter((_line, i) => lines[i - 1] === 'person:')
    .map((line) => `- ${line.trim()}`);
  return [...before.map((line) => line.trim()), ...personLines]
    .map((line) => line.slice(0, SUMMARY_LINE_CHARACTERS).toWellFormed())
    .slice(-SUMMARY_LINES)
    .join('\n');
};

/**
 * Finds the wish whose write session waits for its content: the last result has begun the session, and the model has
 * said nothing since.
 */
const fileToWrite = (conversation: ConversationState, wishes: readonly CallWish[]) => {
  const last = conversation.outcomes.at(-1);
  if (!last?.ok || conversation.hasAnswered || !isTool(last.tool, 'begin')) return undefined;
  return wishes.find((wish) => wish.kind === 'write_long');
};

/**
 * Returns the wishes for single calls that fulfil a wish. To fix a file, the model reads it first, and edits it once
 * the result shows a bug that the model knows.
 */
const callWishesOf = (wish: DemoWish, { outcomes }: ConversationState): readonly CallWish[] => {
  if (wish.kind !== 'fix') return [wish];
  const fix = outcomes.map((outcome) => fixOf(outcome, wish.path)).find((found) => found !== undefined);
  return [{ kind: 'read', path: wish.path }, ...(fix ? [fix] : [])];
};
