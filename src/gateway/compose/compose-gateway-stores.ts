import { createConversationLists } from '../../db/conversations/conversation-lists.ts';
import { createConversationRepository } from '../../db/conversations/conversation-repository.ts';
import { createMessageRepository } from '../../db/conversations/message-repository.ts';
import { createInputNews } from '../../db/inputs/input-news.ts';
import { createReadProjectDays } from '../../db/usage/project-days.ts';
import { createSpendRepository } from '../../db/usage/spend-repository.ts';
import type { GatewayDeps } from '../deps/gateway-deps.ts';
import { composePromptReaders } from './compose-prompt-readers.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { composeStorage } from './compose-storage.ts';

/** The fields of `GatewayDeps` that read and write what is stored, without a turn's workflow. */
export type GatewayStores = Pick<
  GatewayDeps,
  | 'conversationLists'
  | 'conversations'
  | 'inputNews'
  | 'messages'
  | 'nextPrompt'
  | 'projectDays'
  | 'sentPrompt'
  | 'spend'
  | 'storage'
  | 'workspace'
>;

/** Builds the stores that the routes use, over Postgres and the workspace. */
export const composeGatewayStores = (parts: GatewayParts): GatewayStores => {
  const { config, db, files, log } = parts;
  return {
    ...composePromptReaders(parts),
    conversationLists: createConversationLists(db),
    conversations: createConversationRepository(db),
    inputNews: createInputNews({ databaseUrl: config.databaseUrl, log }),
    messages: createMessageRepository(db),
    projectDays: createReadProjectDays(db),
    spend: createSpendRepository(db),
    storage: composeStorage(config, db),
    workspace: files.workspace,
  };
};
