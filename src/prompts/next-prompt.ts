import { messageTokens } from '../base/text/message-tokens.ts';
import type { ModelMessage } from '../contracts/model/model-message.ts';
import type { TurnMode } from '../contracts/tools/tool-call.ts';
import type { PositionOutcome, NextTurnRepository } from '../db/conversations/next-turn-repository.ts';
import { windowOfModel } from './window.ts';
import { promptDecisionsAfter, type PromptServiceDeps } from './prompt-service.ts';
import { messagesOfTurn, wholePrompt } from './whole-prompt.ts';
import type { ConversationKey } from '../contracts/values/ids.ts';

/** A message of a prompt. `turnId` is the earlier turn that it comes from, or null if it comes from none. */
export interface PromptBlock {
  readonly part: 'system' | 'earlier' | 'next';
  readonly turnId: string | null;
  readonly tokens: number;
  readonly message: ModelMessage;
}

/**
 * The prompt of the next turn's first model call, without tool definitions and without the user's words, which are not
 * known yet.
 */
export interface NextPrompt {
  readonly kind: 'found';
  /** The turn that the next turn continues. Null if there is none. */
  readonly leaf: string | null;
  /** The turn with which the prompt begins. Null if it begins with no earlier turn. */
  readonly anchorTurnId: string | null;
  /** True when the prompt has all earlier turns. False when older ones are left out. */
  readonly isWhole: boolean;
  /** Largest number of tokens that a prompt of the model may have. */
  readonly limit: number;
  readonly blocks: readonly PromptBlock[];
}

export interface NextPromptDeps extends Pick<PromptServiceDeps, 'readSurroundings' | 'window' | 'now'> {
  readonly defaultModel: string;
  readonly nextTurns: NextTurnRepository;
  readonly readSystemPrompt: () => Promise<string>;
}

/** A turn that has not been asked for yet. */
export interface NextTurn {
  /** The parent of the turn. Absent means the newest turn. */
  readonly leaf?: string | undefined;
  /** The model that the turn asks for. Absent means the default model. */
  readonly model?: string | undefined;
}

/**
 * Assembles the prompt that the next turn of a conversation would send. The result has another `kind` if the
 * conversation, or the turn `leaf`, is unknown.
 */
export type ReadNextPrompt = (
  key: ConversationKey,
  turn: NextTurn,
) => Promise<NextPrompt | Exclude<PositionOutcome, { kind: 'found' }>>;

/** The mode that is shown when no turn precedes the next one. */
const DEFAULT_MODE: TurnMode = 'act';

/**
 * Creates the reader of next prompts. It decides with `promptDecisionsAfter`, as a turn that begins does, so that what
 * is shown is what would be sent.
 */
export const createReadNextPrompt =
  ({ nextTurns, readSystemPrompt, readSurroundings, now, ...deps }: NextPromptDeps): ReadNextPrompt =>
  async (key, { leaf: wanted, model = deps.defaultModel }) => {
    const window = windowOfModel(deps.window, model);
    const lookup = await nextTurns.find(key, wanted);
    if (lookup.kind !== 'found') return lookup;
    const { position, mode } = lookup;
    const [systemPrompt, branch, surroundings] = await Promise.all([
      readSystemPrompt(),
      nextTurns.loadBranch(position),
      readSurroundings(key.projectId),
    ]);
    const facts = { systemPrompt, window, mode: mode ?? DEFAULT_MODE, surroundings, now: now() };
    const { anchorTurnId, summaryTurnId, preface } = promptDecisionsAfter(branch, facts);
    const { leaf } = position;
    const { turns, isWhole, summary } =
      leaf === null || anchorTurnId === null
        ? { turns: [], isWhole: branch.turns.length === 0, summary: null }
        : await nextTurns.load(leaf, anchorTurnId, summaryTurnId);
    const parts: Omit<PromptBlock, 'tokens'>[] = [
      { part: 'system', turnId: null, message: { role: 'system', content: systemPrompt } },
      ...turns.flatMap((turn) =>
        messagesOfTurn(turn).map((message) => ({ part: 'earlier' as const, turnId: turn.turnId, message })),
      ),
      { part: 'next', turnId: null, message: { role: 'user', content: preface } },
    ];
    const ownMessages = parts.map(({ message }) => message);
    // `ownMessages` has the earlier messages, too, so only the text about left-out turns is added here.
    const messages = wholePrompt({ system: [], turns: [], isWhole, summary }, ownMessages);
    const blocks = parts.map((part, index): PromptBlock => {
      const message = messages[index] ?? part.message;
      return { ...part, message, tokens: messageTokens(message) };
    });
    return { kind: 'found', leaf, anchorTurnId, isWhole, limit: window.tokens, blocks };
  };
