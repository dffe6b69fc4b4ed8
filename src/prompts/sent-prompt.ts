import { messageTokens } from '../base/text/message-tokens.ts';
import type { LeftOut } from '../contracts/model/left-out.ts';
import type { ModelMessage } from '../contracts/model/model-message.ts';
import type { SentStep } from '../contracts/model/sent-step.ts';
import type { EarlierTexts, TranscriptRepository } from '../db/conversations/transcript-repository.ts';
import type { StoredPrompt, SentPromptRepository } from '../db/turns/sent-prompt-repository.ts';
import { messagesOfTurn } from './whole-prompt.ts';
import { promptWithout, anchorOfEarlier } from './fit-prompt.ts';

/** Where a message of a prompt comes from. */
interface BlockSource {
  readonly part: 'system' | 'earlier' | 'own';
  /** The turn of the message. Null if it belongs to none. */
  readonly turnId: string | null;
  /** The model call that was first sent the message. Null if it does not belong to the turn itself. */
  readonly step: number | null;
  /** True when a line replaces a result that did not fit. */
  readonly isLeftOut: boolean;
}

/** A message of a prompt that was sent. */
export interface SentBlock extends BlockSource {
  readonly tokens: number;
  readonly message: ModelMessage;
}

/** The prompt of a model call, without the tools that it was offered. */
export interface SentPrompt {
  /** True when the prompt had all earlier turns. */
  readonly isWhole: boolean;
  readonly blocks: readonly SentBlock[];
}

/**
 * Assembles the prompt that a model call of a turn was sent. `step` is the number of the call, from 1. Returns
 * undefined when the turn has made no such call, or when its prompts are no longer kept.
 */
export type ReadSentPrompt = (turnId: string, step: number) => Promise<SentPrompt | undefined>;

export interface SentPromptDeps {
  readonly sentPrompts: SentPromptRepository;
  readonly transcripts: Pick<TranscriptRepository, 'load'>;
  readonly readSystemPrompt: () => Promise<string>;
}

const NOTHING: EarlierTexts = { turns: [], isWhole: true, summary: null };

/**
 * Creates the reader of sent prompts. It assembles them with `promptWithout`, as the call itself does (docs/context.md
 * "Seen from outside").
 */
export const createReadSentPrompt =
  ({ sentPrompts, transcripts, readSystemPrompt }: SentPromptDeps): ReadSentPrompt =>
  async (turnId, step) => {
    const kept = await sentPrompts.find(turnId, step);
    if (kept === undefined) return undefined;
    const { summaryTurnId, steps, leftOut } = kept;
    const anchorTurnId = anchorOfEarlier(kept);
    const [texts, systemPrompt] = await Promise.all([
      anchorTurnId === null ? NOTHING : transcripts.load(turnId, anchorTurnId, summaryTurnId),
      readSystemPrompt(),
    ]);
    const system: ModelMessage[] = anchorTurnId === null ? [] : [{ role: 'system', content: systemPrompt }];
    const earlier = { ...texts, system, turns: texts.turns.map(messagesOfTurn) };
    const sources = [
      ...system.map(() => blockSourceOf({ part: 'system' })),
      ...sourcesOfTurns(texts, leftOut),
      ...sourcesOfSteps(turnId, steps, leftOut),
    ];
    const blocks = promptWithout({ earlier, steps }, leftOut).map((message, index): SentBlock => {
      const from = sources[index];
      if (!from) {
        throw new Error(`expected ${sources.length} messages in the prompt of ${turnId}.${step}, found more`);
      }
      return { ...from, tokens: messageTokens(message), message };
    });
    return { isWhole: texts.isWhole && (leftOut?.turns ?? 0) === 0, blocks };
  };

const blockSourceOf = (from: Pick<BlockSource, 'part'> & Partial<BlockSource>): BlockSource => ({
  turnId: null,
  step: null,
  isLeftOut: false,
  ...from,
});

const sourcesOfTurns = ({ turns }: EarlierTexts, leftOut: LeftOut | null): BlockSource[] =>
  turns
    .slice(leftOut?.turns ?? 0)
    .flatMap((turn) =>
      messagesOfTurn(turn).map(() => blockSourceOf({ part: 'earlier', turnId: turn.turnId })),
    );

const sourcesOfSteps = (
  turnId: string,
  steps: readonly SentStep[],
  leftOut: StoredPrompt['leftOut'],
): BlockSource[] =>
  steps.flatMap(({ step, messages }) =>
    messages.map((_message, index) => {
      const isLeftOut = leftOut?.results.some((place) => place.step === step && place.at === index) ?? false;
      return blockSourceOf({ part: 'own', turnId, step, isLeftOut });
    }),
  );
