import type { WorkerParts } from './worker-parts.ts';
import { systemClock } from '../src/base/timing/clock.ts';
import { type PromptService, createPromptService } from '../src/prompts/prompt-service.ts';
import { PromptPrefetch } from '../src/prompts/prompt-prefetch.ts';
import { createReadSurroundings } from '../src/prompts/surroundings.ts';
import { loadSystemPrompt } from '../src/prompts/system-prompt.ts';
import { createTranscriptRepository } from '../src/db/conversations/transcript-repository.ts';
import type { Workspace } from '../src/files/workspace/workspace.ts';

/** The service that builds the prompts of a worker, and the prompts that were begun early. */
export interface ComposedPrompts {
  /**
   * The service, whose `begin` takes the prompt that was begun early, if there is one, and builds the prompt otherwise.
   */
  readonly prompts: PromptService;
  /** Receives turns whose first model call is about to be scheduled. */
  readonly prefetch: PromptPrefetch;
}

/** Builds prompts over the transcripts in Postgres, the system prompt and a description of the workspace. */
export const composePrompts = async (
  { config, db }: Pick<WorkerParts, 'config' | 'db'>,
  workspace: Workspace,
): Promise<ComposedPrompts> => {
  const service = createPromptService({
    systemPrompt: await loadSystemPrompt(),
    readSurroundings: createReadSurroundings(workspace),
    transcripts: createTranscriptRepository(db),
    window: config.turns.window,
    now: () => Date.now(),
  });
  const prefetch = new PromptPrefetch({ clock: systemClock, build: (turn) => service.begin(turn) });
  return { prompts: { ...service, begin: (turn) => prefetch.take(turn) }, prefetch };
};
