import { randomUUID } from 'node:crypto';
import type { TurnFlags } from '../args/command.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { withRetries } from '../http/retry.ts';
import type { Conversation } from '../turn/conversation.ts';

/** Returns a random id for a new conversation. */
export const newConversationId = (): string => `cli-${randomUUID()}`;

/**
 * Returns the conversation that the flags name, or the newest one if they ask for it, or else a new one. `accepts` are
 * the kinds of requests, besides approvals, that a person here can be asked. Throws as `GatewayClient` does.
 */
export const chooseConversation = async (
  { conversations, retry, config: { projectId } }: CliContext,
  {
    conversation,
    continuesNewest,
    resume: _resume,
    insteadOf: _insteadOf,
    autoReply: _autoReply,
    ...options
  }: TurnFlags,
  accepts: Conversation['accepts'],
): Promise<Conversation> => {
  const findNewest = async (): Promise<string | undefined> =>
    (await withRetries(retry, () => conversations.list(projectId, 1))).conversations[0]?.conversationId;
  const conversationId =
    conversation ?? (continuesNewest ? await findNewest() : undefined) ?? newConversationId();
  return { conversationId, accepts, ...options };
};
