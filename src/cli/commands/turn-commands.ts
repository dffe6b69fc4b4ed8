import type { Command } from '../args/command.ts';
import type { CliContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { withRetries } from '../http/retry.ts';
import { ask, attach } from '../turn/ask.ts';
import { chooseConversation } from './choose-conversation.ts';
import { hideTyping } from './hide-typing.ts';
import { readPrompt } from './prompt-text.ts';
import { resumeConversation } from './resume-conversation.ts';
import { resolveTurn } from './resolve-turn.ts';

type Chosen<N extends Command['name']> = Extract<Command, { name: N }>;

export const runPrompt = async (
  context: CliContext,
  { text, turn, format }: Omit<Chosen<'prompt'>, 'name'>,
): Promise<ExitCode> => {
  const { process, screen } = context;
  const resumed = await resumeConversation(context, turn);
  if (resumed.kind === 'none') return resumed.code;
  const content = await readPrompt(process, text, (line) => screen.mention(line));
  if (content === undefined) {
    screen.say('error: the prompt is empty: expected text after -p or on stdin');
    return EXIT.usage;
  }
  hideTyping(process);
  const conversation = await chooseConversation(context, resumed.turn);
  return (await ask(context, conversation, { content, format })).code;
};

export const runAttach = async (
  context: CliContext,
  { turnId: given, format, ownership }: Chosen<'attach'>,
): Promise<ExitCode> => {
  const resolved = await resolveTurn(context, given);
  if (resolved.kind === 'none') return resolved.code;
  const { turnId, projectId, conversationId } = resolved.turn;
  hideTyping(context.process);
  return attach(context, { turnId, projectId, conversationId, format, ownership });
};

export const runCancel = async (
  context: CliContext,
  { turnId: given }: Chosen<'cancel'>,
): Promise<ExitCode> => {
  const { turns, retry, screen, json } = context;
  const resolved = await resolveTurn(context, given);
  if (resolved.kind === 'none') return resolved.code;
  const answer = await withRetries(retry, () => turns.cancel(resolved.turn.turnId));
  const line =
    answer.status === 'running' ? 'The turn is being cancelled.' : `The turn has ended: ${answer.status}.`;
  if (json) screen.answer(`${JSON.stringify(answer)}\n`);
  else screen.say(line);
  return EXIT.done;
};
