import type { TurnFlags } from '../args/command.ts';
import { errorMessage } from '../../contracts/values/error-message.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { GatewayRefusedError } from '../http/gateway-failures.ts';
import { sendMessage } from '../turn/send-message.ts';
import { type SendSteer, TerminalSteering } from '../turn/terminal-steering.ts';
import { retryUntilWorkerAnswers } from '../http/retry.ts';
import type { Conversation } from '../turn/conversation.ts';
import type { LineSource } from '../prompt-line/line-source.ts';
import { createTerminalResponder } from './terminal-responder.ts';

/**
 * The source of lines, and the reply to approvals that is given without asking. `autoReply` is undefined if people are
 * asked.
 */
export interface ChatSources {
  readonly lines: LineSource;
  readonly autoReply: TurnFlags['autoReply'];
}

/** The conversation of a chat, with the source of its lines and its replies. */
export interface Chat extends ChatSources {
  readonly conversation: Conversation;
}

/**
 * Sends a message of the chat and shows its turn, into which further lines can be sent meanwhile. Returns the
 * conversation to continue with, or the exit code if the person has left.
 */
export const sendLine = async (
  context: CliContext,
  { conversation, lines, autoReply }: Chat,
  content: string,
): Promise<Conversation | ExitCode> => {
  const onTurn = (turnId: string): TerminalSteering => {
    const steers = new TerminalSteering(createSteerSender(context, turnId), {
      sendNext: (text) => lines.queue(text),
      putBack: (text) => lines.putBack(text),
      onChange: () => lines.refresh(),
    });
    lines.setTurn(steers);
    return steers;
  };
  const createResponder = createTerminalResponder(context, autoReply, () => ({
    readReply: (line) => lines.readReply(line),
    close: () => undefined,
  }));
  const message = { content, format: 'text', onTurn, createResponder } as const;
  const { hasLeft } = await sendMessage(context, conversation, message);
  return hasLeft ? EXIT.interrupted : { ...conversation, parentTurnId: undefined };
};

/** Creates a function that sends messages into a turn. A message keeps its id, however often it has to be sent. */
const createSteerSender =
  ({ turns, retry, screen }: CliContext, turnId: string): SendSteer =>
  async (message) => {
    try {
      const { state } = await retryUntilWorkerAnswers(retry, () => turns.steer(turnId, message));
      return state;
    } catch (error) {
      if (error instanceof GatewayRefusedError && error.status < 500 && error.status !== 429) {
        return 'refused';
      }
      screen.report(errorMessage(error));
      // 429 means that the message was not accepted. After any other failure here, it may have been.
      return error instanceof GatewayRefusedError && error.status === 429 ? 'refused' : 'unknown';
    }
  };
