import type { TurnFlags } from '../args/command.ts';
import { chooseConversation, newConversationId } from '../commands/choose-conversation.ts';
import type { CliContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { Refused, Unreachable } from '../http/failures.ts';
import { ask } from '../turn/ask.ts';
import type { Conversation } from '../turn/conversation.ts';
import { createHistoryFile } from './history-file.ts';
import { LineSource } from './line-source.ts';
import { chatHelp, completeChatLine, readChatLine } from './slash-command.ts';

/** A conversation on the terminal until the user leaves it. */
export const runChat = async (context: CliContext, flags: TurnFlags): Promise<ExitCode> => {
  const conversation = await chooseConversation(context, flags);
  const history = createHistoryFile(context.config.stateDir);
  const { stdin: input, stderr, interrupts } = context.process;
  const lines = new LineSource({
    input,
    output: stderr as NodeJS.WriteStream,
    interrupts,
    history: history.read(),
    complete: completeChatLine,
    onHistory: (all) => history.write(all),
  });
  context.screen.mention(
    `Orion at ${context.config.url}, project ${context.config.projectId}. /help shows what there is.`,
  );
  try {
    return await converse(context, conversation, lines);
  } finally {
    lines.close();
  }
};

const LEAVE_HINT = '\n(Ctrl-C again to leave)';

const converse = async (context: CliContext, first: Conversation, lines: LineSource): Promise<ExitCode> => {
  let conversation = first;
  let wasInterrupted = false;
  for (;;) {
    const typed = await lines.next(conversation.mode === 'plan' ? 'plan> ' : '> ');
    if (typed === 'eof') return EXIT.done;
    if (typed === 'interrupted') {
      if (wasInterrupted) return EXIT.interrupted;
      wasInterrupted = true;
      context.screen.say(LEAVE_HINT);
      continue;
    }
    wasInterrupted = false;
    const next = await takeLine(context, conversation, typed.line);
    if (typeof next === 'number') return next;
    conversation = next;
  }
};

/** Does what a line asks for: the conversation goes on with what is returned, or ends with that exit code. */
const takeLine = async (
  context: CliContext,
  conversation: Conversation,
  typed: string,
): Promise<Conversation | ExitCode> => {
  const { screen } = context;
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
      return { ...conversation, conversationId: newConversationId() };
    case 'mode':
      return { ...conversation, mode: line.mode };
    case 'ask':
      return (await askSafely(context, conversation, line.content)) ? conversation : EXIT.interrupted;
    default:
      return line satisfies never;
  }
};

/** False: the user left. A turn that fails ends no conversation. */
const askSafely = async (
  context: CliContext,
  conversation: Conversation,
  content: string,
): Promise<boolean> => {
  try {
    const { left } = await ask(context, conversation, { content, format: 'text' });
    return !left;
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Unreachable)) throw error;
    context.screen.say(error.message);
    return true;
  }
};
