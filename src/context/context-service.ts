import type { ModelMessage } from '../contracts/model-message.ts';
import type { Mode } from '../contracts/tool-call.ts';
import { historyMessages, type HistoryEntry } from './history-messages.ts';
import { fillPrompt, type PromptValues, type SystemPrompt } from './system-prompt.ts';

/** What the prompts of turns are built from: system prompt, surroundings, history. */
export interface ContextDependencies {
  readonly prompt: SystemPrompt;
  /** What the prompt says of the project's workspace; never rejects. */
  readonly surroundings: (projectId: string) => Promise<PromptValues>;
  /** Messages of the conversation from before the turn, oldest first, at most `limit`. */
  readonly history: (
    projectId: string,
    conversationId: string,
    beforeTurnId: string,
    limit: number,
  ) => Promise<readonly HistoryEntry[]>;
  readonly historyLimit: number;
  /** Tokens (by `CHARACTERS_PER_TOKEN`) the history may take. */
  readonly historyTokens?: number;
}

/** Builds the prompts of turns: what the model is told before the user's message. */
export interface ContextService {
  /** What the model is told before the user's current message: system prompt and history. */
  buildContext(
    projectId: string,
    conversationId: string,
    turn: { readonly turnId: string; readonly mode: Mode },
  ): Promise<ModelMessage[]>;
}

/** Leaves room for the largest current message and the answer in a window of 128,000 tokens. */
const DEFAULT_HISTORY_TOKENS = 32_000;

/** Builds prompts. Nothing is kept between turns: each prompt is what prompt file, workspace and history say now. */
export const createContextService = (dependencies: ContextDependencies): ContextService => {
  const {
    prompt,
    surroundings,
    history,
    historyLimit,
    historyTokens = DEFAULT_HISTORY_TOKENS,
  } = dependencies;
  return {
    async buildContext(projectId, conversationId, { turnId, mode }) {
      const [entries, values] = await Promise.all([
        history(projectId, conversationId, turnId, historyLimit),
        surroundings(projectId),
      ]);
      const content = fillPrompt(prompt[mode], values);
      return [{ role: 'system', content }, ...historyMessages(entries, historyTokens)];
    },
  };
};
