import type { CommandNamed } from '../args/command.ts';
import { canAskPerson, hideTyping } from '../process/terminal-typing.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { withRetries } from '../http/retry.ts';
import { createTerminalResponder, TERMINAL_INPUT_KINDS } from '../chat/terminal-responder.ts';
import { openPlainLineSource } from '../prompt-line/open-line-source.ts';
import { sendMessage, attachToTurn } from '../turn/send-message.ts';
import { createAutoResponder, type CreateResponder } from '../turn/input-request-responder.ts';
import { chooseConversation } from '../chat/choose-conversation.ts';
import { readMessageText } from './message-text.ts';
import { resumeConversation } from '../chat/resume-conversation.ts';
import { findOpeningMessage } from '../turn/opening-message.ts';
import { resolveTurn } from '../turn/resolve-turn.ts';
import { jsonLine } from '../render/output.ts';

/**
 * Runs `orion -p`, and `orion` without a terminal: sends one message, from the arguments and stdin, and waits for the
 * answer.
 */
export const runPrompt = async (
  context: CliContext,
  { text, turnFlags, format }: Omit<CommandNamed<'prompt'>, 'name'>,
): Promise<ExitCode> => {
  const { cliProcess, screen } = context;
  const resumed = await resumeConversation(context, turnFlags);
  if (resumed.kind === 'none') return resumed.code;
  const content = await readMessageText(cliProcess, text, (line) => screen.reportDimmed(line));
  if (content === undefined) {
    screen.report('error: the prompt is empty: expected text after -p or on stdin');
    return EXIT.usage;
  }
  return sendSingleMessage(context, {
    turnFlags: resumed.turnFlags,
    format,
    content,
    parentTurnId: resumed.replacedMessage?.parentTurnId,
  });
};

/** Runs `orion retry`: sends the message of a turn again, with the same parent, and waits for the answer. */
export const runRetry = async (
  context: CliContext,
  { turnId, turnFlags, format }: CommandNamed<'retry'>,
): Promise<ExitCode> => {
  const outcome = await findOpeningMessage(context, turnId);
  if (outcome.kind === 'none') return outcome.code;
  const { conversationId: conversation, content, parentTurnId } = outcome.message;
  return sendSingleMessage(context, {
    turnFlags: { ...turnFlags, conversation },
    format,
    content,
    parentTurnId,
  });
};

interface SingleMessage extends Pick<CommandNamed<'prompt'>, 'turnFlags' | 'format'> {
  readonly content: string;
  /**
   * The parent of the new turn. Null means that it has none, and undefined means the newest turn of the conversation.
   */
  readonly parentTurnId: string | null | undefined;
}

const sendSingleMessage = async (
  context: CliContext,
  { turnFlags, format, content, parentTurnId }: SingleMessage,
): Promise<ExitCode> => {
  hideTyping(context.cliProcess);
  const { autoReply } = turnFlags;
  const asksPerson = autoReply === undefined && canAskPerson(context.cliProcess);
  const conversation = await chooseConversation(context, turnFlags, asksPerson ? TERMINAL_INPUT_KINDS : []);
  const autoResponder = autoReply === undefined ? undefined : () => createAutoResponder(context, autoReply);
  const createResponder = autoResponder ?? (asksPerson ? createPersonResponder(context) : undefined);
  const message = { content, format, createResponder };
  return (await sendMessage(context, { ...conversation, parentTurnId }, message)).code;
};

/** Runs `orion attach`: shows a turn from its beginning to its end. */
export const runAttach = async (
  context: CliContext,
  { turnId: idOrPrefix, format, ownership }: CommandNamed<'attach'>,
): Promise<ExitCode> => {
  const resolved = await resolveTurn(context, idOrPrefix);
  if (resolved.kind === 'none') return resolved.code;
  const { turnId, projectId, conversationId } = resolved.turn;
  hideTyping(context.cliProcess);
  const createResponder = canAskPerson(context.cliProcess) ? createPersonResponder(context) : undefined;
  return attachToTurn(context, { turnId, projectId, conversationId, format, ownership, createResponder });
};

/** Runs `orion cancel`: asks for the end of a turn, and reports what became of it. */
export const runCancel = async (
  context: CliContext,
  { turnId: idOrPrefix }: CommandNamed<'cancel'>,
): Promise<ExitCode> => {
  const { turns, retry, screen, printsJson } = context;
  const resolved = await resolveTurn(context, idOrPrefix);
  if (resolved.kind === 'none') return resolved.code;
  const response = await withRetries(retry, () => turns.cancel(resolved.turn.turnId));
  const line =
    response.status === 'running'
      ? 'The turn is being cancelled.'
      : `The turn has ended: ${response.status}.`;
  if (printsJson) screen.write(jsonLine(response));
  else screen.report(line);
  return EXIT.done;
};

/** Creates responders that ask the person below the answer. The terminal is read only while a request waits. */
const createPersonResponder = (context: CliContext): CreateResponder =>
  createTerminalResponder(context, undefined, () => openPlainLineSource(context));
