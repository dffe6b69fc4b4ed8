import { createInterface } from 'node:readline/promises';
import { randomUUID } from 'node:crypto';
import type { ConversationList } from '../../contracts/http/conversations.ts';
import type { TurnFlags } from '../args/command.ts';
import type { CliContext } from '../context.ts';
import { withRetries } from '../http/retry.ts';
import type { Conversation } from '../turn/conversation.ts';
import { shortTime } from './sessions-command.ts';

export const newConversationId = (): string => `cli-${randomUUID()}`;

/** The conversation that the flags name, or a new one. Throws `Unreachable` or `Refused`. */
export const chooseConversation = async (
  { turns, retry, config: { projectId } }: CliContext,
  { conversation, continue: goOn, resume: _resume, ...how }: TurnFlags,
): Promise<Conversation> => {
  const newest = async (): Promise<string | undefined> =>
    (await withRetries(retry, () => turns.conversations(projectId, 1))).conversations[0]?.conversationId;
  const conversationId = conversation ?? (goOn ? await newest() : undefined) ?? newConversationId();
  return { conversationId, ...how };
};

/** As many as can be looked through at once. */
const SHOWN = 20;

/**
 * Lets a person choose one of the newest conversations (`--resume`). Undefined: there is none, or the person chose
 * none; said already. Throws `Unreachable` or `Refused`.
 */
export const chooseResumed = async (
  context: CliContext,
  flags: TurnFlags,
): Promise<TurnFlags | undefined> => {
  if (!flags.resume) return flags;
  const { turns, retry, screen, config } = context;
  const { conversations } = await withRetries(retry, () => turns.conversations(config.projectId, SHOWN));
  if (conversations.length === 0) {
    screen.say(`There is no conversation in project ${config.projectId} yet.`);
    return undefined;
  }
  for (const line of conversationLines(conversations)) screen.say(line);
  const chosen = await askNumber(context, conversations.length);
  const conversation = chosen === undefined ? undefined : conversations[chosen - 1]?.conversationId;
  return conversation === undefined ? undefined : { ...flags, conversation, resume: false };
};

const conversationLines = (conversations: ConversationList['conversations']): readonly string[] =>
  conversations.map(({ title, updatedAt, lastTurn }, index) => {
    const status = lastTurn?.status === 'running' ? ' (running)' : '';
    return `${String(index + 1).padStart(3)}  ${shortTime(updatedAt)}  ${title || '(no words)'}${status}`;
  });

/** Asks until a number of the list, nothing or Ctrl-C comes. */
const askNumber = async ({ process, screen }: CliContext, most: number): Promise<number | undefined> => {
  const { stdin: input, stderr } = process;
  const lines = createInterface({ input, output: stderr as NodeJS.WriteStream, terminal: true });
  const stopped = new AbortController();
  lines.once('SIGINT', () => stopped.abort());
  lines.once('close', () => stopped.abort());
  try {
    for (;;) {
      const text = (await lines.question(`Which one? 1–${most}, Enter for none: `, stopped)).trim();
      if (text === '') return undefined;
      const number = /^\d{1,3}$/.test(text) ? Number(text) : 0;
      if (number >= 1 && number <= most) return number;
      screen.say(`Expected a number from 1 to ${most}, received ${text}.`);
    }
  } catch (error) {
    if (stopped.signal.aborted) return undefined;
    throw error;
  } finally {
    lines.close();
  }
};
