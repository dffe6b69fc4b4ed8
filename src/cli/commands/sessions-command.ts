import type { ConversationList } from '../../contracts/http/conversation-api.ts';
import type { WriteSessionList } from '../../contracts/http/write-session-api.ts';
import type { CommandNamed } from '../args/command.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { askLine } from '../process/ask-line.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { withRetries } from '../http/retry.ts';
import { safeForTerminal } from '../../base/text/safe-for-terminal.ts';
import { shortTime } from '../render/short-time.ts';
import { jsonLine } from '../render/output.ts';

/** Maximum number of conversations that `orion sessions` lists. */
const PAGE_SIZE = 100;

/**
 * Runs `orion sessions`: prints the conversations of the project with their newest turn, those with the newest messages
 * first, and then its write sessions.
 */
export const runSessions = async (context: CliContext): Promise<ExitCode> => {
  const { writeSessions, retry, screen, printsJson, config } = context;
  const { projectId } = config;
  const { conversations } = await withRetries(retry, () => context.conversations.list(projectId, PAGE_SIZE));
  const { sessions } = await withRetries(retry, () => writeSessions.list(projectId));
  if (printsJson) screen.write(jsonLine({ projectId, conversations, writeSessions: sessions }));
  else for (const line of sessionLines(conversations, sessions)) screen.writeLine(safeForTerminal(line));
  return EXIT.done;
};

/**
 * Runs `orion sessions delete`: removes a conversation, once the person has confirmed it. With `--yes`, which is needed
 * if stdin is not a terminal, nobody is asked.
 */
export const runSessionsDelete = async (
  context: CliContext,
  { conversationId, isSure }: CommandNamed<'sessions delete'>,
): Promise<ExitCode> => {
  const { conversations, retry, screen, printsJson, config, cliProcess } = context;
  const { projectId } = config;
  if (!isSure && !cliProcess.stdin.isTTY) {
    screen.report('error: nobody can be asked here whether it is meant: --yes removes it without');
    return EXIT.usage;
  }
  if (!isSure && !(await isConfirmed(context, conversationId))) return EXIT.done;
  await withRetries(retry, () => conversations.remove(projectId, conversationId));
  if (printsJson) screen.write(jsonLine({ projectId, conversationId, removed: true }));
  else screen.report(`The conversation ${conversationId} is removed.`);
  return EXIT.done;
};

const isConfirmed = async ({ cliProcess }: CliContext, conversationId: string): Promise<boolean> => {
  const question = `Remove ${conversationId} with all that was said and done in it? [y/N] `;
  const { reply } = await askLine(cliProcess, question, (line) => /^y(es)?$/i.test(line.trim()));
  return reply === true;
};

const sessionLines = (
  conversations: ConversationList['conversations'],
  sessions: WriteSessionList['sessions'],
): readonly string[] => {
  const width = Math.max(12, ...conversations.map(({ conversationId }) => conversationId.length));
  const conversationLines = conversations.flatMap(({ conversationId, title, updatedAt, lastTurn }) => [
    `${conversationId.padEnd(width)}  ${shortTime(updatedAt)}  ${title}`,
    ...(lastTurn === null ? [] : [`${' '.repeat(width)}  turn ${lastTurn.turnId} ${lastTurn.status}`]),
  ]);
  const writeSessionLines = sessions.map(
    ({ session_id: id, stage, operation, target_file: target, created_at: at, undone_at: undone }) =>
      `${id}  ${shortTime(at)}  ${stage.padEnd(16)}  ${operation} ${target}${undone === null ? '' : ' (undone)'}`,
  );
  return [
    conversationLines.length > 0 ? 'Conversations' : 'No conversation yet.',
    ...conversationLines,
    ...(writeSessionLines.length > 0 ? ['', 'Write sessions', ...writeSessionLines] : []),
  ];
};
