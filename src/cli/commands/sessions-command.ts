import type { ConversationList } from '../../contracts/http/conversation-api.ts';
import type { WriteSessionList } from '../../contracts/http/write-session-api.ts';
import type { CliContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { withRetries } from '../http/retry.ts';
import { safeForTerminal } from '../../base/safe-for-terminal.ts';
import { shortTime } from '../render/short-time.ts';

/** What one page may have. */
const CONVERSATIONS = 100;

/** Conversations of the project with their newest turn, those spoken in last first, and its write sessions. */
export const runSessions = async (context: CliContext): Promise<ExitCode> => {
  const { turns, writeSessions, retry, screen, json, config } = context;
  const { projectId } = config;
  const { conversations } = await withRetries(retry, () => turns.conversations(projectId, CONVERSATIONS));
  const { sessions } = await withRetries(retry, () => writeSessions.list(projectId));
  if (json) screen.answer(`${JSON.stringify({ projectId, conversations, writeSessions: sessions })}\n`);
  else for (const line of tableOf(conversations, sessions)) screen.print(safeForTerminal(line));
  return EXIT.done;
};

const tableOf = (
  conversations: ConversationList['conversations'],
  sessions: WriteSessionList['sessions'],
): readonly string[] => {
  const width = Math.max(12, ...conversations.map(({ conversationId }) => conversationId.length));
  const chats = conversations.flatMap(({ conversationId, title, updatedAt, lastTurn }) => [
    `${conversationId.padEnd(width)}  ${shortTime(updatedAt)}  ${title}`,
    ...(lastTurn === null ? [] : [`${' '.repeat(width)}  turn ${lastTurn.turnId} ${lastTurn.status}`]),
  ]);
  const writes = sessions.map(
    ({ session_id: id, stage, operation, target_file: target, created_at: at, undone_at: undone }) =>
      `${id}  ${shortTime(at)}  ${stage.padEnd(16)}  ${operation} ${target}${undone === null ? '' : ' (undone)'}`,
  );
  return [
    chats.length > 0 ? 'Conversations' : 'No conversation yet.',
    ...chats,
    ...(writes.length > 0 ? ['', 'Write sessions', ...writes] : []),
  ];
};
