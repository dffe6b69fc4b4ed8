import { Context } from '@temporalio/activity';
import { promptTokens } from '../../src/base/text/message-tokens.ts';
import type { LeftOut } from '../../src/contracts/model/left-out.ts';
import type { CallModelInput } from '../../src/contracts/payload/turn-activity-payloads.ts';
import type { ModelMessage } from '../../src/contracts/model/model-message.ts';
import type { BegunPrompt, PromptService } from '../../src/prompts/prompt-service.ts';
import { fitPrompt, type PromptParts, promptWithout, anchorOfEarlier } from '../../src/prompts/fit-prompt.ts';
import { withDatabaseRetries } from '../../src/db/connection/database-retries.ts';
import type { StepRepository, StepClaim } from '../../src/db/turns/step-repository.ts';
import { attemptSupersededFailure, turnSupersededFailure } from '../attempt/activity-failures.ts';
import type { AttemptStop } from './attempt-stop.ts';

export interface AttemptPromptDeps {
  readonly steps: StepRepository;
  /** Builds prompts. Only attempts of step 1 call `begin`. */
  readonly prompts: Pick<PromptService, 'begin' | 'loadEarlier' | 'maxPromptTokensOf'>;
}

type ClaimedStep = Extract<StepClaim, { kind: 'claimed' }>;

/**
 * The prompt of one attempt. Parts that do not fit are left out, and a record of them is stored before the prompt is
 * sent. Later attempts of the step, and later steps, then leave out at least the same parts, except results that are
 * sent again after a file was written.
 */
export class AttemptPrompt {
  readonly epoch: number;
  readonly #deps: AttemptPromptDeps;
  readonly #input: CallModelInput;
  readonly #stop: AttemptStop;
  readonly #parts: PromptParts;
  #leftOut: LeftOut | null;
  #maxTokens: number;

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
    this.#maxTokens = deps.prompts.maxPromptTokensOf(input.model);
  }

  /** The parts that are left out, null for none. */
  get leftOut(): LeftOut | null {
    return this.#leftOut;
  }

  /** The messages of the prompt without the parts that are left out. */
  get messages(): ModelMessage[] {
    return promptWithout(this.#parts, this.#leftOut);
  }

  /**
   * Leaves out parts until the prompt fits into the model's window, or no more can be left out. `toolTokens` is the
   * number of tokens of the offered tools, which counts only against `maxPromptTokens`. Throws
   * `attemptSupersededFailure` when a later attempt has begun.
   */
  async fit(toolTokens: number): Promise<void> {
    this.#maxTokens = Math.min(this.#maxTokens, (this.#input.maxPromptTokens ?? Infinity) - toolTokens);
    await this.#leaveOut();
  }

  /**
   * Leaves out parts until at most half of the prompt is left, or no more can be left out, because the provider has
   * found it too long. Returns false if nothing was left out. Throws `attemptSupersededFailure` when a later attempt
   * has begun.
   */
  async halve(): Promise<boolean> {
    this.#maxTokens = Math.floor(Math.min(this.#maxTokens, promptTokens(this.messages)) / 2);
    return this.#leaveOut();
  }

  async #leaveOut(): Promise<boolean> {
    const before = this.#leftOut;
    const leftOut = fitPrompt(this.#parts, this.#maxTokens, before);
    const leavesOutMore =
      leftOut !== null &&
      (leftOut.turns > (before?.turns ?? 0) || leftOut.results.length > (before?.results.length ?? 0));
    if (!leavesOutMore) return false;
    const { turnId, step } = this.#input;
    const isStored = await withDatabaseRetries(
      () => this.#deps.steps.storeLeftOut({ turnId, step, epoch: this.epoch }, leftOut),
      this.#stop.signal,
    );
    if (!isStored) throw attemptSupersededFailure();
    this.#leftOut = leftOut;
    return true;
  }
}

interface ClaimParts {
  readonly deps: AttemptPromptDeps;
  readonly input: CallModelInput;
  readonly stop: AttemptStop;
}

/**
 * Claims an epoch for the attempt and builds its prompt. Throws `attemptSupersededFailure` when a later attempt has
 * begun, and `turnSupersededFailure` when the turn has ended or belongs to another run of its workflow.
 */
export const claimPrompt = async (parts: ClaimParts): Promise<AttemptPrompt> => {
  const { deps, input, stop } = parts;
  const { info } = Context.current();
  let begunPrompt: BegunPrompt | undefined;
  const claim = await withDatabaseRetries(
    () =>
      deps.steps.claim({
        turnId: input.turnId,
        step: input.step,
        scheduledAt: new Date(info.currentAttemptScheduledTimestampMs),
        runId: input.firstExecutionRunId,
        messages: input.messages,
        withdrawn: input.withdrawn,
        decidePrompt: async () => (begunPrompt = await deps.prompts.begin(input)),
      }),
    stop.signal,
  );
  switch (claim.kind) {
    case 'claimed':
      return new AttemptPrompt(parts, claim, await loadParts(parts, claim, begunPrompt));
    case 'superseded':
      throw attemptSupersededFailure();
    case 'ended':
      throw turnSupersededFailure('the turn is closed');
    default:
      return claim satisfies never;
  }
};

/**
 * Returns the messages of earlier turns and those of this turn's steps. Messages of earlier turns never change. If this
 * attempt has loaded them to begin the turn, and the claim has kept that beginning, they are not loaded again.
 */
const loadParts = async (
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
