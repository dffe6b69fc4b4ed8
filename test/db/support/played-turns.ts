import type { CompactInput } from '../../../src/contracts/payload/compact-payloads.ts';
import type { ModelMessage } from '../../../src/contracts/model/model-message.ts';
import { createPromptService } from '../../../src/prompts/prompt-service.ts';
import { wholePrompt } from '../../../src/prompts/whole-prompt.ts';
import { createReadSentPrompt, type SentPrompt } from '../../../src/prompts/sent-prompt.ts';
import type { PromptWindow } from '../../../src/prompts/window.ts';
import type { Database } from '../../../src/db/connection/database.ts';
import { createTranscriptRepository } from '../../../src/db/conversations/transcript-repository.ts';
import { createStepRepository } from '../../../src/db/turns/step-repository.ts';
import { createSentPromptRepository } from '../../../src/db/turns/sent-prompt-repository.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { answered, turnInput, userMessage } from '../../support/turn-fixtures.ts';

const SYSTEM_PROMPT = 'You are Orion.';

/** How a turn differs from the default turn. */
export interface Played {
  readonly parentTurnId?: string;
  readonly content?: string;
  readonly dayLimit?: number;
  readonly model?: string;
}

/**
 * Plays turns of one model call each without Temporal; the beginning of their prompts is chosen as a worker does it.
 */
export class PlayedTurns {
  readonly #db: Database;
  readonly #window: PromptWindow;

  constructor(db: Database, window: PromptWindow) {
    this.#db = db;
    this.#window = window;
  }

  /** Runs a turn; resolves to the prompt that it was sent. */
  async play(turnId: string, conversationId: string, played: Played = {}): Promise<ModelMessage[]> {
    const { parentTurnId, dayLimit, model = 'gpt-x', content = `${turnId} ${'x'.repeat(800)}` } = played;
    const turns = createTurnRepository(this.#db);
    const message = {
      ...userMessage,
      ...(parentTurnId !== undefined && { parentTurnId }),
      ...(dayLimit !== undefined && { costLimits: { day: dayLimit } }),
    };
    const input = turnInput(turnId, { conversationId, content, model });
    await turns.insert(input, 'hash', message, `key of ${conversationId}`);
    const service = this.#service();
    const { projectId, mode } = input;
    const claim = await createStepRepository(this.#db).claim({
      turnId,
      step: 1,
      scheduledAt: new Date(),
      runId: 'run',
      messages: [{ role: 'user', content }],
      decidePrompt: () => service.begin({ turnId, projectId, conversationId, mode, model }),
    });
    if (claim.kind !== 'claimed') throw new Error(claim.kind);
    const earlier = await service.loadEarlier(turnId, claim.anchorTurnId ?? '', claim.summaryTurnId);
    await turns.close(answered(turnId, '0-1'));
    return wholePrompt(
      earlier,
      claim.steps.flatMap((sent) => sent.messages),
    );
  }

  /** Returns the prompt of a turn, as it is read afterwards. */
  async sent(turnId: string): Promise<SentPrompt | undefined> {
    return createReadSentPrompt({
      sentPrompts: createSentPromptRepository(this.#db),
      transcripts: createTranscriptRepository(this.#db),
      readSystemPrompt: () => Promise.resolve(SYSTEM_PROMPT),
    })(turnId, 1);
  }

  /** Returns what is to be summarised after a turn. */
  findTurnsToSummarise(leafTurnId: string): Promise<CompactInput | undefined> {
    return this.#service().findTurnsToSummarise(leafTurnId);
  }

  #service() {
    return createPromptService({
      systemPrompt: SYSTEM_PROMPT,
      readSurroundings: () => Promise.resolve({ files: [], skills: [], instructions: null }),
      transcripts: createTranscriptRepository(this.#db),
      window: this.#window,
      now: () => 0,
    });
  }
}
