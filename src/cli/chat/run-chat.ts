import type { TurnFlags } from '../args/command.ts';
import { bannerLines, readInfo, readLastExchange } from './banner.ts';
import { chooseConversation } from './choose-conversation.ts';
import { resumeConversation } from './resume-conversation.ts';
import type { CliContext } from '../parts/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import type { Conversation } from '../turn/conversation.ts';
import { completeLine, localWorkspace } from './complete-line.ts';
import { createHistoryFile } from './history-file.ts';
import type { LineSource } from './line-source.ts';
import { openLines } from './open-lines.ts';
import { TERMINAL_INPUTS } from './request-prompt.ts';
import { type ChatSources, takeLine } from './take-line.ts';

/** Runs a conversation on the terminal until the user leaves it; begins with messages that were given already. */
export const runChat = async (
  context: CliContext,
  flags: TurnFlags,
  given: readonly string[],
): Promise<ExitCode> => {
  const { screen, config } = context;
  const info = await readInfo(context);
  const resumed = await resumeConversation(context, flags);
  if (resumed.kind === 'none') return resumed.code;
  const { turn } = resumed;
  const { asked } = resumed;
  const chosen = await chooseConversation(context, turn, TERMINAL_INPUTS);
  const conversation = { ...chosen, parentTurnId: asked?.parentTurnId };
  for (const line of bannerLines(context, info, flags.model)) screen.mention(line);
  if (turn.conversation !== undefined || turn.continuesNewest) {
    for (const line of await readLastExchange(context, conversation.conversationId)) screen.mention(line);
  }
  const lines = openChat(context, await localWorkspace(config.url, info), given);
  if (asked && given.length === 0) lines.putBack(asked.content);
  try {
    return await converse(context, conversation, { lines, answer: flags.answer });
  } finally {
    lines.close();
  }
};

const openChat = (
  context: CliContext,
  workspace: string | undefined,
  given: readonly string[],
): LineSource => {
  const history = createHistoryFile(context.config.stateDir);
  return openLines(context, {
    history: [...given.toReversed(), ...history.read()],
    given,
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
      context.screen.say(LEAVE_HINT);
      continue;
    }
    wasInterrupted = false;
    if (typed === 'cleared') {
      conversation = { ...conversation, parentTurnId: undefined };
      continue;
    }
    const next = await takeLine(context, { conversation, ...sources }, typed.line);
    if (typeof next === 'number') return next;
    if (next === 'failed') {
      const dropped = lines.dropEarly();
      if (dropped > 0) context.screen.say(notSent(dropped));
      continue;
    }
    conversation = next;
  }
};

const notSent = (messages: number): string =>
  messages === 1
    ? 'The message typed since then was not sent; the Up key shows it.'
    : `The ${messages} messages typed since then were not sent; the Up key shows them.`;
