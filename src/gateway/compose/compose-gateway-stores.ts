import { createConversationLists } from '../../db/conversations/conversation-lists.ts';
import { createConversationRepository } from '../../db/conversations/conversation-repository.ts';
import { createMessageRepository } from '../../db/conversations/message-repository.ts';
import { createInputNews } from '../../db/inputs/input-news.ts';
import { createListProjectDays } from '../../db/usage/project-days.ts';
import { createSpendRepository } from '../../db/usage/spend-repository.ts';
import { createNextTurnRepository } from '../../db/conversations/next-turn-repository.ts';
import { createTranscriptRepository } from '../../db/conversations/transcript-repository.ts';
import { createSentPromptRepository } from '../../db/turns/sent-prompt-repository.ts';
import { createReadNextPrompt } from '../../prompts/next-prompt.ts';
import { createReadSentPrompt } from '../../prompts/sent-prompt.ts';
import { createReadSurroundings } from '../../prompts/surroundings.ts';
import { loadSystemPrompt } from '../../prompts/system-prompt.ts';
import type { GatewayStores } from '../deps/gateway-stores.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { composeStorage } from './compose-storage.ts';

/** Builds the stores that the routes use, over Postgres and the workspace. */
export const composeGatewayStores = (parts: GatewayParts): GatewayStores => {
  const { config, db, files, log } = parts;
  return {
    ...composePromptReaders(parts),
    conversationLists: createConversationLists(db),
    conversations: createConversationRepository(db),
    inputNews: createInputNews({ databaseUrl: config.databaseUrl, log }),
    messages: createMessageRepository(db),
    projectDays: createListProjectDays(db),
    spend: createSpendRepository(db),
    storage: composeStorage(config, db),
    workspace: files.workspace,
  };
};

/** Builds what shows the prompts of a conversation, sent ones and the next one, over Postgres and the workspace. */
const composePromptReaders = ({
  config,
  db,
  files,
}: GatewayParts): Pick<GatewayStores, 'nextPrompt' | 'sentPrompt'> => ({
  nextPrompt: createReadNextPrompt({
    window: config.turns.window,
    defaultModel: config.model.model,
    nextTurns: createNextTurnRepository(db),
    readSystemPrompt: loadSystemPrompt,
    readSurroundings: createReadSurroundings(files.workspace),
    now: () => Date.now(),
  }),
  sentPrompt: createReadSentPrompt({
    sentPrompts: createSentPromptRepository(db),
    transcripts: createTranscriptRepository(db),
    readSystemPrompt: loadSystemPrompt,
  }),
});
