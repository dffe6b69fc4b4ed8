import type { TurnFlags } from '../args/command.ts';
import { errorMessage } from '../../contracts/values/error-message.ts';
import { readLastExchange } from './banner.ts';
import { newConversationId } from './choose-conversation.ts';
import { resumeConversation } from './resume-conversation.ts';
import type { CliContext } from '../parts/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { GatewayRefusal, GatewayUnreachable } from '../http/gateway-failures.ts';
import { askQuestion } from '../turn/ask.ts';
import { findAsked, findLastAsked, type FoundMessage } from '../turn/asked-message.ts';
import { type SendSteer, SentSteers } from '../turn/sent-steers.ts';
import { untilWorkerAnswers } from '../http/retry.ts';
import type { Conversation } from '../turn/conversation.ts';
import type { LineSource } from './line-source.ts';
import { answererAt } from './request-prompt.ts';
import { chatHelp, readChatLine } from './chat-line.ts';

/** The source of lines, and the replies that are given without asking for one. */
export interface ChatSources {
  readonly lines: LineSource;
  readonly answer: TurnFlags['answer'];
}

interface Chat extends ChatSources {
  readonly conversation: Conversation;
}

/**
 * Does what a line asks for: returns the conversation to go on with (the same one where nothing was reached), or the
 * exit code with which it ends.
 */
export const takeLine = async (
  context: CliContext,
  chat: Chat,
  typed: string,
): Promise<Conversation | ExitCode | 'failed'> => {
  const { screen } = context;
  const { conversation } = chat;
  const line = readChatLine(typed);
  switch (line.kind) {
    case 'quit':
      return EXIT.done;
    case 'nothing':
      return conversation;
    case 'help':
      screen.say(chatHelp);
      return conversation;
    case 'unknown':
      screen.say(line.problem);
      return conversation;
    case 'new':
      return { ...conversation, conversationId: newConversationId(), parentTurnId: undefined };
    case 'mode':
      return { ...conversation, mode: line.mode };
    case 'model':
      return { ...conversation, model: line.model };
    case 'resume':
      return safely(context, () => resume(context, conversation, line.id));
    case 'retry':
      return safely(context, () => askAnew(context, chat, line.turnId));
    case 'edit':
      return safely(context, () => editAsked(context, chat, line.turnId));
    case 'ask':
      return safely(context, () => ask(context, chat, line.content));
    default:
      return line satisfies never;
  }
};

/** Runs a call and reports a failure of the gateway, which does not end the conversation. */
const safely = async <T>(context: CliContext, run: () => Promise<T>): Promise<T | 'failed'> => {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof GatewayRefusal || error instanceof GatewayUnreachable)) throw error;
    context.screen.say(error.message);
    return 'failed';
  }
};

/** Returns the conversation of that id, or this one where it is not found, and says so. */
const resume = async (context: CliContext, conversation: Conversation, id: string): Promise<Conversation> => {
  const how = { answer: undefined, conversation: undefined, continuesNewest: false, insteadOf: undefined };
  const resumed = await resumeConversation(context, { ...conversation, ...how, resume: id });
  if (resumed.kind === 'none' || resumed.turn.conversation === undefined) return conversation;
  const conversationId = resumed.turn.conversation;
  for (const line of await readLastExchange(context, conversationId)) context.screen.mention(line);
  return { ...conversation, conversationId, parentTurnId: undefined };
};

/** Finds the message that a command of the chat is about: that of the named turn, or the last one here. */
const askedOf = (
  context: CliContext,
  { conversation }: Chat,
  turnId: string | undefined,
): Promise<FoundMessage> =>
  turnId === undefined ? findLastAsked(context, conversation.conversationId) : findAsked(context, turnId);

/** `/retry`: sends the same message again, from the same place. */
const askAnew = async (
  context: CliContext,
  chat: Chat,
  turnId: string | undefined,
): Promise<Conversation | ExitCode> => {
  const found = await askedOf(context, chat, turnId);
  if (found.kind === 'none') return chat.conversation;
  const { content, ...place } = found.asked;
  return ask(context, { ...chat, conversation: { ...chat.conversation, ...place } }, content);
};

/** `/edit`: puts the message back into the line; what is sent next replaces it. */
const editAsked = async (
  context: CliContext,
  { conversation, ...chat }: Chat,
  turnId: string | undefined,
): Promise<Conversation> => {
  const found = await askedOf(context, { conversation, ...chat }, turnId);
  if (found.kind === 'none') return conversation;
  const { content, ...place } = found.asked;
  chat.lines.putBack(content);
  context.screen.say('What you send next takes the place of this message; Ctrl-C leaves it as it is.');
  return { ...conversation, ...place };
};

const ask = async (
  context: CliContext,
  { conversation, lines, answer }: Chat,
  content: string,
): Promise<Conversation | ExitCode> => {
  const onTurn = (turnId: string): SentSteers => {
    const steers = new SentSteers(senderOf(context, turnId), {
      ask: (text) => lines.ask(text),
      putBack: (text) => lines.putBack(text),
      changed: () => lines.refresh(),
    });
    lines.setTurn(steers);
    return steers;
  };
  const createAnswerer = answererAt(context, answer, () => ({
    reply: (line) => lines.reply(line),
    close: () => undefined,
  }));
  const question = { content, format: 'text', onTurn, createAnswerer } as const;
  const { hasLeft } = await askQuestion(context, conversation, question);
  return hasLeft ? EXIT.interrupted : { ...conversation, parentTurnId: undefined };
};

/** Sends messages into the turn; each has one id, however often it has to be sent. */
const senderOf =
  ({ turns, retry, screen }: CliContext, turnId: string): SendSteer =>
  async (message) => {
    try {
      const { state } = await untilWorkerAnswers(retry, () => turns.say(turnId, message));
      return state;
    } catch (error) {
      if (error instanceof GatewayRefusal && error.status < 500 && error.status !== 429) return 'refused';
      screen.say(errorMessage(error));
      return error instanceof GatewayRefusal && error.status === 429 ? 'refused' : 'unknown';
    }
  };
