import type { ReadNextPrompt } from '../../prompts/next-prompt.ts';
import type { ReadSentPrompt } from '../../prompts/sent-prompt.ts';
import type { ConversationLists } from '../../db/conversations/conversation-lists.ts';
import type { InputNews } from '../../db/inputs/input-news.ts';
import type { ConversationRepository } from '../../db/conversations/conversation-repository.ts';
import type { Workspace } from '../../files/workspace/workspace.ts';
import type { ListProjectDays } from '../../db/usage/project-days.ts';
import type { SpendRepository } from '../../db/usage/spend-repository.ts';
import type { MessageRepository } from '../../db/conversations/message-repository.ts';
import type { StorageLimits } from '../storage/storage-limits.ts';

/** The dependencies of the routes that read and write what is stored, without the workflow of a turn. */
export interface GatewayStores {
  readonly messages: MessageRepository;
  readonly conversationLists: ConversationLists;
  readonly conversations: ConversationRepository;
  readonly inputNews: InputNews;
  readonly nextPrompt: ReadNextPrompt;
  readonly sentPrompt: ReadSentPrompt;
  readonly storage: StorageLimits;
  readonly spend: Pick<SpendRepository, 'listDays' | 'loadToday'>;
  readonly projectDays: ListProjectDays;
  readonly workspace: Pick<Workspace, 'hasFolder' | 'withDirectory'>;
}
