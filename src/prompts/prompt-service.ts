import { messageTokens } from '../base/text/message-tokens.ts';
import type { ModelMessage } from '../contracts/model/model-message.ts';
import type { TurnMode } from '../contracts/tools/tool-call.ts';
import type { KnownSurroundings } from '../contracts/model/known-surroundings.ts';
import type { CompactInput } from '../contracts/payload/compact-payloads.ts';
import type { TurnToPrompt } from '../contracts/payload/turn-workflow-payloads.ts';
import type { Branch } from '../db/conversations/branch.ts';
import type { TranscriptRepository } from '../db/conversations/transcript-repository.ts';
import type { PromptDecisions } from '../db/turns/step-repository.ts';
import type { Surroundings } from './surroundings.ts';
import { turnPreface } from './turn-preface.ts';
import { lastToSummarise, type PromptWindow, turnsInWindow, windowOfModel } from './window.ts';
import { type EarlierMessages, messagesOfTurn } from './whole-prompt.ts';

/** The sources of prompts: system prompt, surroundings, earlier turns. */
export interface PromptServiceDeps {
  readonly systemPrompt: string;
  /** Describes the project's workspace; never rejects. */
  readonly readSurroundings: (projectId: string) => Promise<Surroundings>;
  readonly transcripts: TranscriptRepository;
  readonly window: PromptWindow;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

/** The anchor, summary and preface that `begin` has chosen for a turn, with the messages before the turn. */
export type BegunPrompt = PromptDecisions & { readonly earlier: EarlierMessages };

/** Builds the prompts of turns: system prompt, transcripts of earlier turns, the turn itself (docs/context.md). */
export interface PromptService {
  /**
   * Chooses the anchor and the summary of a turn's prompts, and builds the preface of its first message. May be called
   * several times for a turn: early (`PromptPrefetch`), and for attempts of the first model call. Only what the first
   * attempt uses is stored.
   */
  begin(turn: TurnToPrompt): Promise<BegunPrompt>;
  /** Returns the greatest number of tokens that a prompt of this model may have. */
  maxPromptTokensOf(model: string): number;
  /**
   * Returns the messages before the turn, from its stored anchor on, so that all calls of the turn begin with the same
   * messages until `fitPrompt` leaves some out.
   */
  loadEarlier(turnId: string, anchorTurnId: string, summaryTurnId: string | null): Promise<EarlierMessages>;
  /**
   * Returns which turns the next summary should cover: the id of the last of them, and `leafTurnId`. Returns undefined
   * when the window is not full enough, or when a finished summary already covers one of the turns in it.
   */
  findTurnsToSummarise(leafTurnId: string): Promise<CompactInput | undefined>;
}

/**
 * Creates the service that builds prompts. It keeps nothing between turns: a decision that holds for a turn is stored
 * in the turn's row.
 */
export const createPromptService = (dependencies: PromptServiceDeps): PromptService => {
  const { systemPrompt, readSurroundings, transcripts, now } = dependencies;
  const system: ModelMessage = { role: 'system', content: systemPrompt };
  const loadEarlier: PromptService['loadEarlier'] = async (turnId, anchorTurnId, summaryTurnId) => {
    const { turns, isWhole, summary } = await transcripts.load(turnId, anchorTurnId, summaryTurnId);
    return { system: [system], turns: turns.map(messagesOfTurn), isWhole, summary };
  };
  return {
    loadEarlier,
    maxPromptTokensOf: (model) => windowOfModel(dependencies.window, model).tokens,
    async findTurnsToSummarise(leafTurnId) {
      const { turns, summary, model } = await transcripts.loadEndedBranch(leafTurnId);
      const window = windowOfModel(dependencies.window, model);
      const tokens = window.tokens - messageTokens(system);
      const turnId = lastToSummarise(turns, { tokens, messages: window.messages }, summary);
      return turnId === undefined ? undefined : { turnId, leafTurnId };
    },
    async begin({ turnId, projectId, mode, model }) {
      const window = windowOfModel(dependencies.window, model);
      const [branch, surroundings] = await Promise.all([
        transcripts.loadBranch(turnId),
        readSurroundings(projectId),
      ]);
      const decisions = promptDecisionsAfter(branch, {
        systemPrompt,
        window,
        mode,
        surroundings,
        now: now(),
      });
      const anchorTurnId = decisions.anchorTurnId ?? turnId;
      const earlier =
        branch.turns.length === 0
          ? { system: [system], turns: [], isWhole: true, summary: null }
          : await loadEarlier(turnId, anchorTurnId, decisions.summaryTurnId);
      return { ...decisions, anchorTurnId, earlier };
    },
  };
};

interface BranchDecisions extends Omit<PromptDecisions, 'anchorTurnId'> {
  /** The first earlier turn in the prompt. Null if the prompt has none. */
  readonly anchorTurnId: string | null;
}

type DecisionFacts = Pick<PromptServiceDeps, 'systemPrompt' | 'window'> & {
  readonly mode: TurnMode;
  readonly surroundings: Surroundings;
  /** Milliseconds since 1970. */
  readonly now: number;
};

/** Chooses the anchor and the summary of a turn that continues `branch`, and builds its preface. */
export const promptDecisionsAfter = (
  branch: Branch,
  { systemPrompt, window, mode, surroundings, now }: DecisionFacts,
): BranchDecisions => {
  const facts = { mode, date: new Date(now).toISOString().slice(0, 10), surroundings };
  const tell = (known: KnownSurroundings | null) =>
    turnPreface({ ...facts, notes: branch.notes, otherBranchFiles: branch.otherBranchFiles, known });
  const whole = tell(null);
  const fixedTokens = [systemPrompt, whole.preface].reduce(
    (sum, content) => sum + messageTokens({ role: 'user', content }),
    branch.messageTokens,
  );
  const tokens = Math.max(0, window.tokens - fixedTokens);
  const { kept, summary } = turnsInWindow(
    branch.turns,
    { tokens, messages: window.messages },
    branch.summary,
  );
  const anchorTurnId = branch.turns[kept - 1]?.turnId ?? null;
  // With the same anchor, the prompt contains everything that the previous turn was told about the workspace, so only
  // changes are told.
  const continues = anchorTurnId !== null && anchorTurnId === oldAnchor(branch);
  return {
    anchorTurnId,
    summaryTurnId: summary?.turnId ?? null,
    ...(continues ? tell(knownSurroundingsOf(branch)) : whole),
  };
};

/**
 * Returns the turn with which the prompt of the branch's newest turn began. Returns the oldest turn of the branch if
 * the anchor of that prompt is not known, and undefined if the branch has no turns.
 */
const oldAnchor = ({ anchorTurnId, turns }: Branch): string | undefined =>
  anchorTurnId ?? turns.at(-1)?.turnId;

const knownSurroundingsOf = ({ turns }: Branch): KnownSurroundings | null => turns[0]?.known ?? null;
