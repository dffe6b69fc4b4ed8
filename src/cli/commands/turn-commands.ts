import type { Command } from '../args/command.ts';
import type { CliContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { withRetries } from '../http/retry.ts';
import { ask, attach } from '../turn/ask.ts';
import { chooseConversation } from './choose-conversation.ts';
import { readPrompt } from './prompt-text.ts';

type Chosen<N extends Command['name']> = Extract<Command, { name: N }>;

export const runPrompt = async (
  context: CliContext,
  { text, turn, format }: Omit<Chosen<'prompt'>, 'name'>,
): Promise<ExitCode> => {
  const { process, screen } = context;
  const content = await readPrompt(process, text, (line) => screen.mention(line));
  if (content === undefined) {
    screen.say('error: the prompt is empty: expected text after -p or on stdin');
    return EXIT.usage;
  }
  const conversation = await chooseConversation(context, turn);
  return (await ask(context, conversation, { content, format })).code;
};

export const runAttach = async (
  context: CliContext,
  { turnId, format }: Chosen<'attach'>,
): Promise<ExitCode> => {
  const { projectId, conversationId } = await withRetries(context.retry, () => context.turns.status(turnId));
  return attach(context, { turnId, projectId, conversationId }, format);
};

export const runCancel = async (
  { turns, retry, screen, json }: CliContext,
  { turnId }: Chosen<'cancel'>,
): Promise<ExitCode> => {
  const answer = await withRetries(retry, () => turns.cancel(turnId));
  const line =
    answer.status === 'running' ? 'The turn is being cancelled.' : `The turn has ended: ${answer.status}.`;
  if (json) screen.answer(`${JSON.stringify(answer)}\n`);
  else screen.say(line);
  return EXIT.done;
};
