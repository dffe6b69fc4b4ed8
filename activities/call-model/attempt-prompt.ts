import { Context } from '@temporalio/activity';
import type { LeftOut } from '../../src/contracts/model/left-out.ts';
import type { CallModelInput } from '../../src/contracts/payload/turn-activity-payloads.ts';
import type { ModelMessage } from '../../src/contracts/model/model-message.ts';
import type { BegunPrompt, ContextService } from '../../src/context/context-service.ts';
import {
  fitPrompt,
  type PromptParts,
  promptWithout,
  tokensOf,
  anchorOfEarlier,
} from '../../src/context/fit-prompt.ts';
import { withDatabaseRetries } from '../../src/db/connection/database-retries.ts';
import type { ContextRepository, StepClaim } from '../../src/db/turns/context-repository.ts';
import { attemptSuperseded, turnSuperseded } from '../attempt/activity-failures.ts';
import type { AttemptStop } from './attempt-stop.ts';

export interface AttemptPromptDeps {
  readonly contexts: ContextRepository;
  /** `begin` is called once per turn. */
  readonly prompts: Pick<ContextService, 'begin' | 'loadEarlier' | 'maxPromptTokensOf'>;
}

type ClaimedStep = Extract<StepClaim, { kind: 'claimed' }>;

/**
 * The prompt of an attempt. What does not fit is left out, and stored as left out before it is sent: every attempt of
 * the step, and every step after it, leaves out the same.
 */
export class AttemptPrompt {
  readonly epoch: number;
  readonly #deps: AttemptPromptDeps;
  readonly #input: CallModelInput;
  readonly #stop: AttemptStop;
  readonly #parts: PromptParts;
  #leftOut: LeftOut | null;
  #room: number;

  constructor(
    { deps, input, stop }: ClaimParts,
    { epoch, leftOut }: Pick<ClaimedStep, 'epoch' | 'leftOut'>,
    parts: PromptParts,
  ) {
    this.epoch = epoch;
    this.#deps = deps;
    this.#input = input;
    this.#stop = stop;
    this.#parts = parts;
    this.#leftOut = leftOut;
    this.#room = deps.prompts.maxPromptTokensOf(input.model);
  }

  get leftOut(): LeftOut | null {
    return this.#leftOut;
  }

  get messages(): ModelMessage[] {
    return promptWithout(this.#parts, this.#leftOut);
  }

  /**
   * Leaves out what does not fit into the model's window. `toolTokens` is the number of tokens of the offered tools.
   */
  async fit(toolTokens: number): Promise<void> {
    this.#room = Math.min(this.#room, (this.#input.maxPromptTokens ?? Infinity) - toolTokens);
    await this.#leaveOut();
  }

  /** Leaves out half of the prompt, which the provider has found too long. Returns false when nothing more can go. */
  async halve(): Promise<boolean> {
    this.#room = Math.floor(Math.min(this.#room, tokensOf(this.messages)) / 2);
    return this.#leaveOut();
  }

  async #leaveOut(): Promise<boolean> {
    const before = this.#leftOut;
    const leftOut = fitPrompt(this.#parts, this.#room, before);
    const isMore =
      leftOut !== null &&
      (leftOut.turns > (before?.turns ?? 0) || leftOut.results.length > (before?.results.length ?? 0));
    if (!isMore) return false;
    const { turnId, step } = this.#input;
    const isStored = await withDatabaseRetries(
      () => this.#deps.contexts.storeLeftOut({ turnId, step, epoch: this.epoch }, leftOut),
      this.#stop.signal,
    );
    if (!isStored) throw attemptSuperseded();
    this.#leftOut = leftOut;
    return true;
  }
}

interface ClaimParts {
  readonly deps: AttemptPromptDeps;
  readonly input: CallModelInput;
  readonly stop: AttemptStop;
}

/** Claims the epoch of an attempt, with its prompt. Throws when the attempt is no longer wanted. */
export const claimPrompt = async (parts: ClaimParts): Promise<AttemptPrompt> => {
  const { deps, input, stop } = parts;
  const { info } = Context.current();
  let begun: BegunPrompt | undefined;
  const claim = await withDatabaseRetries(
    () =>
      deps.contexts.beginStep({
        turnId: input.turnId,
        step: input.step,
        scheduledAt: new Date(info.currentAttemptScheduledTimestampMs),
        runId: input.firstExecutionRunId,
        messages: input.messages,
        withdrawn: input.withdrawn,
        begin: async () => (begun = await deps.prompts.begin(input)),
      }),
    stop.signal,
  );
  switch (claim.kind) {
    case 'claimed':
      return new AttemptPrompt(parts, claim, await partsOf(parts, claim, begun));
    case 'superseded':
      throw attemptSuperseded();
    case 'ended':
      throw turnSuperseded('the turn is closed');
    default:
      return claim satisfies never;
  }
};

/** The messages before the turn never change, and are stored by turn. */
const partsOf = async (
  { deps: { prompts }, input: { turnId }, stop }: ClaimParts,
  claimed: ClaimedStep,
  begun: BegunPrompt | undefined,
): Promise<PromptParts> => {
  const { summaryTurnId, steps } = claimed;
  const anchorTurnId = anchorOfEarlier(claimed);
  if (anchorTurnId === null) {
    return { earlier: { system: [], turns: [], isWhole: true, summary: null }, steps };
  }
  const earlier =
    begun?.anchorTurnId === anchorTurnId && begun.summaryTurnId === summaryTurnId
      ? begun.earlier
      : await withDatabaseRetries(
          () => prompts.loadEarlier(turnId, anchorTurnId, summaryTurnId),
          stop.signal,
        );
  return { earlier, steps };
};
