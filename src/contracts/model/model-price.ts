/**
 * The prices of one token of a model, each in whole millionths of a millionth of the currency. A price of 2.5 per
 * million tokens is therefore 2,500,000.
 */
export interface ModelPrice {
  readonly input: number;
  /** Price of prompt tokens that come from a provider's cache. */
  readonly cached: number;
  /** Price of prompt tokens that are put into a provider's cache. */
  readonly cacheWrite: number;
  readonly output: number;
}

/** What is reserved for a model call before it is made. Costs are whole millionths of the currency. */
export interface ReservedCosts {
  /** The most that the call may cost: its prompt, and the longest answer that it asks for. */
  readonly maxCost: number;
  /** The cost of the prompt, without any output. */
  readonly promptCost: number;
  /** The price of one token of output, in the unit of `ModelPrice`. */
  readonly outputPrice: number;
}

/** Prices by the name of the model. A model that is not in the map has no known price. */
export type Prices = ReadonlyMap<string, ModelPrice>;
