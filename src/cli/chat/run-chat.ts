import type { TurnFlags } from '../args/command.ts';
import { bannerLines, readChatInfo } from './banner.ts';
import { readLastExchange } from './last-exchange.ts';
import { chooseConversation } from './choose-conversation.ts';
import { resumeConversation } from './resume-conversation.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import type { Conversation } from '../turn/conversation.ts';
import { completeLine, findLocalWorkspace } from '../prompt-line/complete-line.ts';
import { createHistoryFile } from '../prompt-line/history-file.ts';
import type { LineSource } from '../prompt-line/line-source.ts';
import { openLineSource } from '../prompt-line/open-line-source.ts';
import { TERMINAL_INPUT_KINDS } from './terminal-responder.ts';
import { runLine } from './run-line.ts';
import type { ChatSources } from './send-line.ts';

/**
 * Runs a conversation on the terminal, which begins with `initialMessages`, until the user leaves it. Returns the exit
 * code. Throws as `GatewayClient` does if the conversation cannot begin.
 */
export const runChat = async (
  context: CliContext,
  flags: TurnFlags,
  initialMessages: readonly string[],
): Promise<ExitCode> => {
  const { screen, config } = context;
  const info = await readChatInfo(context);
  const resumed = await resumeConversation(context, flags);
  if (resumed.kind === 'none') return resumed.code;
  const { turnFlags, replacedMessage } = resumed;
  const chosen = await chooseConversation(context, turnFlags, TERMINAL_INPUT_KINDS);
  const conversation = { ...chosen, parentTurnId: replacedMessage?.parentTurnId };
  for (const line of bannerLines(context, info, flags.model)) screen.reportDimmed(line);
  if (turnFlags.conversation !== undefined || turnFlags.continuesNewest) {
    for (const line of await readLastExchange(context, conversation.conversationId)) {
      screen.reportDimmed(line);
    }
  }
  const lines = openChat(context, await findLocalWorkspace(config.url, info), initialMessages);
  if (replacedMessage && initialMessages.length === 0) lines.putBack(replacedMessage.content);
  try {
    return await converse(context, conversation, { lines, autoReply: flags.autoReply });
  } finally {
    lines.close();
  }
};

const openChat = (
  context: CliContext,
  workspace: string | undefined,
  initialMessages: readonly string[],
): LineSource => {
  const history = createHistoryFile(context.config.stateDir);
  return openLineSource(context, {
    history: [...initialMessages.toReversed(), ...history.read()],
    initialMessages,
    complete: (before) => completeLine(before, workspace),
    onSent: (text) => history.add(text),
  });
};

const LEAVE_HINT = '(Ctrl-C again to leave)';

const converse = async (
  context: CliContext,
  first: Conversation,
  sources: ChatSources,
): Promise<ExitCode> => {
  const { lines } = sources;
  let conversation = first;
  let wasInterrupted = false;
  for (;;) {
    const typed = await lines.next(conversation.mode === 'plan' ? 'plan> ' : '> ');
    if (typed === 'eof') return EXIT.done;
    if (typed === 'interrupted') {
      if (wasInterrupted) return EXIT.interrupted;
      wasInterrupted = true;
      context.screen.report(LEAVE_HINT);
      continue;
    }
    wasInterrupted = false;
    if (typed === 'cleared') {
      // Ctrl-C also gives up an `/edit` or `--instead-of`, so the next message continues the newest turn.
      conversation = { ...conversation, parentTurnId: undefined };
      continue;
    }
    const next = await runLine(context, { conversation, ...sources }, typed.line);
    if (typeof next === 'number') return next;
    if (next === 'failed') {
      const dropped = lines.clearTypeAhead();
      if (dropped > 0) context.screen.report(notSentLine(dropped));
      continue;
    }
    conversation = next;
  }
};

const notSentLine = (messages: number): string =>
  messages === 1
    ? 'The message typed since then was not sent; the Up key shows it.'
    : `The ${messages} messages typed since then were not sent; the Up key shows them.`;
