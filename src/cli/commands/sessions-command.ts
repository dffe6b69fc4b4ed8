import type { ChatMessage } from '../../contracts/http-message.ts';
import type { WriteSessionList } from '../../contracts/http-write-session.ts';
import type { CliContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { withRetries } from '../http/retry.ts';
import { safeForTerminal } from '../render/safe-for-terminal.ts';

/** Newest messages that are looked through for conversations: what one page may have. */
const MESSAGES = 100;
const EXCERPT = 60;

interface ConversationLine {
  readonly conversationId: string;
  readonly lastMessage: string;
  readonly sender: ChatMessage['sender'];
  readonly at: string;
}

/** Conversations of the project by their last message, and its write sessions. */
export const runSessions = async (context: CliContext): Promise<ExitCode> => {
  const { turns, writeSessions, retry, screen, json, config } = context;
  const { projectId } = config;
  const { messages } = await withRetries(retry, () => turns.messages(projectId, MESSAGES));
  const conversations = conversationsOf(messages);
  const { sessions } = await withRetries(retry, () => writeSessions.list(projectId));
  if (json) screen.answer(`${JSON.stringify({ projectId, conversations, writeSessions: sessions })}\n`);
  else for (const line of tableOf(conversations, sessions)) screen.answer(`${line}\n`);
  return EXIT.done;
};

/** Messages come newest first. */
const conversationsOf = (messages: readonly ChatMessage[]): readonly ConversationLine[] => {
  const found = new Map<string, ConversationLine>();
  for (const { conversationId, content, sender, createdAt } of messages) {
    if (found.has(conversationId)) continue;
    found.set(conversationId, { conversationId, lastMessage: excerpt(content), sender, at: createdAt });
  }
  return [...found.values()];
};

const excerpt = (text: string): string => {
  const line = safeForTerminal(text.replaceAll(/\s+/g, ' ').trim());
  return line.length > EXCERPT ? `${line.slice(0, EXCERPT).toWellFormed()}…` : line;
};

const tableOf = (
  conversations: readonly ConversationLine[],
  sessions: WriteSessionList['sessions'],
): readonly string[] => {
  const width = Math.max(12, ...conversations.map(({ conversationId }) => conversationId.length));
  const chats = conversations.map(
    ({ conversationId, sender, lastMessage, at }) =>
      `${conversationId.padEnd(width)}  ${shortTime(at)}  ${sender}: ${lastMessage}`,
  );
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

const shortTime = (iso: string): string => iso.slice(0, 16).replace('T', ' ');
