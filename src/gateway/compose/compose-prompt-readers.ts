import { createNextTurnRepository } from '../../db/conversations/next-turn-repository.ts';
import { createTranscriptRepository } from '../../db/conversations/transcript-repository.ts';
import { createSentPromptRepository } from '../../db/turns/sent-prompt-repository.ts';
import { createReadNextPrompt } from '../../prompts/next-prompt.ts';
import { createReadSentPrompt } from '../../prompts/sent-prompt.ts';
import { createReadSurroundings } from '../../prompts/surroundings.ts';
import { loadSystemPrompt } from '../../prompts/system-prompt.ts';
import type { GatewayDeps } from '../deps/gateway-deps.ts';
import type { GatewayParts } from './gateway-parts.ts';

/** Builds what shows the prompts of a conversation, sent ones and the next one, over Postgres and the workspace. */
export const composePromptReaders = ({
  config,
  db,
  files,
}: GatewayParts): Pick<GatewayDeps, 'nextPrompt' | 'sentPrompt'> => ({
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
