import { ApiError } from './api-error.ts';
import type { ConversationKey } from '../../contracts/values/ids.ts';

/** Returns the 404 for a conversation that the project does not have. */
export const unknownConversation = ({ projectId, conversationId }: ConversationKey): ApiError =>
  new ApiError('not_found', `There is no conversation ${conversationId} in the project ${projectId}.`);
