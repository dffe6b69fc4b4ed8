import { Context, log } from '@temporalio/activity';
import { promptTokens } from '../../src/base/text/message-tokens.ts';
import type { CallModelInput, CallModelOutcome } from '../../src/contracts/payload/turn-activity-payloads.ts';
import {
  CHARACTERS_PER_TOKEN,
  type ModelMessage,
  type TokenUsage,
} from '../../src/contracts/model/model-message.ts';
import type { ModelPrice, Prices } from '../../src/contracts/model/model-price.ts';
import type { ToolDefinition } from '../../src/contracts/tools/tool-call.ts';
import { fieldsOf } from '../../src/contracts/values/unchecked-value.ts';
import { withDatabaseRetries } from '../../src/db/connection/database-retries.ts';
import type { SeenTokens, SpendRepository } from '../../src/db/usage/spend-repository.ts';
import { costOf, reservedCosts } from '../../src/llm/call-cost.ts';
import type { RawDelta } from '../../src/protocol/stream/raw-delta.ts';
import { attemptSupersededFailure, turnSupersededFailure } from '../attempt/activity-failures.ts';
import type { AttemptStop } from './attempt-stop.ts';

/**
 * Counts the cost of one attempt of a model call, in whole millionths of the currency. `isWasted` is true if the
 * attempt is repeated or its result is no longer wanted.
 */
export type CountCost = (model: string, cost: number, details: { readonly isWasted: boolean }) => void;

export interface CallSpendDeps {
  readonly prices: Prices;
  readonly spend: Pick<SpendRepository, 'reserve' | 'settle'>;
  readonly countCost: CountCost;
}

/** The prompt of an attempt, which is known once the attempt has its epoch. */
interface PromptToReserve {
  readonly epoch: number;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
}

/**
 * The cost of one attempt of a model call (docs/storage.md "Costs"). It is reserved before the provider is asked, and
 * settled when the attempt ends, or later if the attempt was lost. A call of a model without a price has no cost, and
 * is refused if the turn has a budget.
 */
export class CallSpend {
  readonly #deps: CallSpendDeps;
  readonly #input: CallModelInput;
  readonly #stop: AttemptStop;
  readonly #price: ModelPrice | undefined;
  readonly #seenByEarlier = readSeenTokens(Context.current().info.heartbeatDetails);
  #epoch: number | undefined;
  #promptTokens = 0;
  #characters = 0;
  #usage: TokenUsage | undefined;
  #isSettled = false;

  constructor(deps: CallSpendDeps, input: CallModelInput, stop: AttemptStop) {
    this.#deps = deps;
    this.#input = input;
    this.#stop = stop;
    this.#price = deps.prices.get(input.model);
  }

  /**
   * Returns heartbeat details. If the worker dies, they tell the next attempt how many tokens this one has received.
   */
  details(): { readonly seen?: SeenTokens } {
    return this.#epoch === undefined ? {} : { seen: { [this.#epoch]: this.#streamedTokens } };
  }

  /**
   * Reserves the cost of the call. Returns undefined if the call may be made. Otherwise returns the outcome that takes
   * its place: the budget does not pay for the call, or a turn with a budget calls a model without a price. Throws
   * `attemptSupersededFailure` or `turnSupersededFailure` when the attempt is no longer wanted.
   */
  async reserve({ epoch, messages, tools }: PromptToReserve): Promise<CallModelOutcome | undefined> {
    const price = this.#price;
    if (price === undefined) return this.#input.isBudgeted ? missingPriceOutcome(this.#input) : undefined;
    const { turnId, step, model, options } = this.#input;
    this.#promptTokens = promptTokens(messages, tools);
    const costs = reservedCosts(price, this.#promptTokens, options.maxTokens);
    const seen = this.#seenByEarlier;
    const outcome = await withDatabaseRetries(
      () => this.#deps.spend.reserve({ turnId, step, epoch, model, seen, ...costs }),
      this.#stop.signal,
    );
    if (outcome === 'superseded') throw attemptSupersededFailure();
    if (outcome === 'ended') throw turnSupersededFailure('the turn is closed');
    if (outcome === 'over_budget') return OVER_BUDGET;
    this.#epoch = epoch;
    return undefined;
  }

  /** Notes one delta of the answer. `characters` is the length of all output so far. */
  noteDelta(delta: RawDelta, characters: number): void {
    if (delta.type === 'usage') this.#usage = delta.usage;
    this.#characters = characters;
  }

  /**
   * Returns the cost of a call that has ended with `outcome`, in whole millionths of the currency. Returns undefined if
   * the model has no price.
   */
  costOf(outcome: CallModelOutcome): number | undefined {
    return this.#costNow(outcome.kind === 'failed');
  }

  /** Settles the cost of an attempt that has ended with `outcome`. Rejects when Postgres cannot be reached. */
  async settle(outcome: CallModelOutcome): Promise<void> {
    await this.#store(this.costOf(outcome), { isWasted: false });
  }

  /**
   * Settles the cost of an attempt that is repeated, or whose result is no longer wanted. Never rejects: a cost that
   * cannot be stored is settled later, as that of a lost attempt.
   */
  async abandon(): Promise<void> {
    // Without a stop, the attempt has failed by itself, most often because the provider refused the call.
    const isRefused = this.#stop.cause === undefined;
    try {
      await this.#store(this.#costNow(isRefused), { isWasted: true });
    } catch (error) {
      log.warn('the cost of an attempt is not stored: it counts as lost', { err: error });
    }
  }

  async #store(cost: number | undefined, { isWasted }: { readonly isWasted: boolean }): Promise<void> {
    const epoch = this.#epoch;
    if (cost === undefined || epoch === undefined || this.#isSettled) return;
    const { turnId, model } = this.#input;
    await this.#deps.spend.settle(turnId, epoch, cost);
    this.#isSettled = true;
    this.#deps.countCost(model, cost, { isWasted });
  }

  /**
   * Returns the cost so far. A provider that refuses charges nothing, while one whose answer was cut off has read the
   * prompt.
   */
  #costNow(isRefused: boolean): number | undefined {
    if (this.#price === undefined) return undefined;
    if (this.#epoch === undefined) return 0;
    if (this.#usage !== undefined) return costOf(this.#price, this.#usage);
    if (isRefused && this.#characters === 0) return 0;
    return costOf(this.#price, {
      promptTokens: this.#promptTokens,
      completionTokens: this.#streamedTokens,
    });
  }

  get #streamedTokens(): number {
    return Math.ceil(this.#characters / CHARACTERS_PER_TOKEN);
  }
}

const OVER_BUDGET: CallModelOutcome = {
  kind: 'ended',
  end: 'cost',
  calls: [],
  declarations: {},
  usage: { promptTokens: 0, completionTokens: 0 },
};

/**
 * Returns the outcome of a call that a turn with a budget cannot make, because its model has no price. A fallback that
 * cannot be called is unavailable, so the workflow tries the next one in the list.
 */
const missingPriceOutcome = ({ model, insteadOf }: CallModelInput): CallModelOutcome => ({
  kind: 'failed',
  code: insteadOf === undefined ? 'internal_error' : 'model_unavailable',
  message: `The turn has a budget, and its worker knows no price of the model ${model} (ORION_PRICES_FILE).`,
});

/**
 * Returns the tokens that the attempt before this one reported in its last heartbeat, by epoch. Ignores malformed
 * counts.
 */
const readSeenTokens = (details: unknown): SeenTokens => {
  const counts = Object.entries(fieldsOf(fieldsOf(details)['seen'])).filter(
    ([, tokens]) => Number.isSafeInteger(tokens) && Number(tokens) >= 0,
  );
  return Object.fromEntries(counts.map(([epoch, tokens]) => [epoch, Number(tokens)]));
};
