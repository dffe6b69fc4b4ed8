import { readChatInfo } from './banner.ts';
import { readLastExchange } from './last-exchange.ts';
import { newConversationId } from './choose-conversation.ts';
import { resumeConversation } from './resume-conversation.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { GatewayRefusedError, GatewayUnreachableError } from '../http/gateway-failures.ts';
import {
  findOpeningMessage,
  findLastOpeningMessage,
  type OpeningMessageOutcome,
} from '../turn/opening-message.ts';
import type { Conversation } from '../turn/conversation.ts';
import { CHAT_HELP, readChatLine } from '../prompt-line/chat-line.ts';
import { type Chat, sendLine } from './send-line.ts';

/**
 * Carries out a line of the chat. Returns the conversation to continue with, the exit code if the chat ends, or
 * `failed` if the gateway refused or did not answer, which is reported.
 */
export const runLine = async (
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
      screen.report(CHAT_HELP);
      return conversation;
    case 'unknown':
      screen.report(line.problem);
      return conversation;
    case 'new':
      return { ...conversation, conversationId: newConversationId(), parentTurnId: undefined };
    case 'mode':
      return { ...conversation, mode: line.mode };
    case 'model':
      return reportingFailures(context, () => changeModel(context, conversation, line.model));
    case 'resume':
      return reportingFailures(context, () => resume(context, conversation, line.id));
    case 'retry':
      return reportingFailures(context, () => retryMessage(context, chat, line.turnId));
    case 'edit':
      return reportingFailures(context, () => editMessage(context, chat, line.turnId));
    case 'message':
      return reportingFailures(context, () => sendLine(context, chat, line.content));
    default:
      return line satisfies never;
  }
};

/** Runs a call and reports a failure of the gateway, which does not end the conversation. */
const reportingFailures = async <T>(context: CliContext, run: () => Promise<T>): Promise<T | 'failed'> => {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof GatewayRefusedError || error instanceof GatewayUnreachableError)) throw error;
    context.screen.report(error.message);
    return 'failed';
  }
};

/**
 * Runs `/model`: returns the conversation with this model, or reports which models the gateway offers. A gateway that
 * is too old to say so refuses a wrong model with the next message.
 */
const changeModel = async (
  context: CliContext,
  conversation: Conversation,
  model: string,
): Promise<Conversation> => {
  const models = (await readChatInfo(context))?.models;
  if (models?.includes(model) === false) {
    context.screen.report(`/model: expected one of ${models.join(', ')}, received ${model}`);
    return conversation;
  }
  context.screen.reportDimmed(`The next message goes to the model ${model}.`);
  return { ...conversation, model };
};

/**
 * Shows the end of the conversation with the given id or beginning of an id, and returns the conversation. If there is
 * none, or more than one, reports that and returns `conversation`.
 */
const resume = async (context: CliContext, conversation: Conversation, id: string): Promise<Conversation> => {
  const absentFlags = {
    autoReply: undefined,
    conversation: undefined,
    continuesNewest: false,
    insteadOf: undefined,
  };
  const resumed = await resumeConversation(context, { ...conversation, ...absentFlags, resume: id });
  if (resumed.kind === 'none' || resumed.turnFlags.conversation === undefined) return conversation;
  const conversationId = resumed.turnFlags.conversation;
  for (const line of await readLastExchange(context, conversationId)) context.screen.reportDimmed(line);
  return { ...conversation, conversationId, parentTurnId: undefined };
};

/** Runs `/retry`, which sends the same message again with the same parent. */
const retryMessage = async (
  context: CliContext,
  chat: Chat,
  turnId: string | undefined,
): Promise<Conversation | ExitCode> => {
  const outcome = await findMessage(context, chat, turnId);
  if (outcome.kind === 'none') return chat.conversation;
  const { content, ...place } = outcome.message;
  return sendLine(context, { ...chat, conversation: { ...chat.conversation, ...place } }, content);
};

/** Runs `/edit`, which puts the message back into the line. What is sent next replaces the message. */
const editMessage = async (
  context: CliContext,
  { conversation, ...chat }: Chat,
  turnId: string | undefined,
): Promise<Conversation> => {
  const outcome = await findMessage(context, { conversation, ...chat }, turnId);
  if (outcome.kind === 'none') return conversation;
  const { content, ...place } = outcome.message;
  chat.lines.putBack(content);
  context.screen.report('What you send next takes the place of this message; Ctrl-C leaves it as it is.');
  return { ...conversation, ...place };
};

/**
 * Finds the message that a command of the chat is about: the one that began the turn `turnId`, or the last turn here.
 */
const findMessage = (
  context: CliContext,
  { conversation }: Chat,
  turnId: string | undefined,
): Promise<OpeningMessageOutcome> =>
  turnId === undefined
    ? findLastOpeningMessage(context, conversation.conversationId)
    : findOpeningMessage(context, turnId);
