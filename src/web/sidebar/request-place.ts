import type { ConversationList } from '../../contracts/http/conversation-api.ts';
import type { ConversationKey } from '../../contracts/values/ids.ts';

/**
 * Returns the words that say where a waiting request was made. `projectId` is the project that the page shows, and
 * `listed` are conversations of it. A conversation among these is named by its title. Any other is named by its
 * project, because the page does not know its title.
 */
export const requestPlaceWords = (
  request: ConversationKey,
  projectId: string,
  listed: readonly Pick<ConversationList['conversations'][number], 'conversationId' | 'title'>[],
): string => {
  if (request.projectId !== projectId) return `In project ${request.projectId}`;
  const conversation = listed.find((each) => each.conversationId === request.conversationId);
  return conversation?.title || 'In this project';
};
