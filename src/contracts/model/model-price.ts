/**
 * The price of a model's tokens, each in whole millionths of a millionth of the currency, which is the price per
 * million tokens times a million.
 */
export interface ModelPrice {
  readonly input: number;
  /** Price of prompt tokens that come from a provider's cache. */
  readonly cached: number;
  /** Price of prompt tokens that are put into a provider's cache. */
  readonly cacheWrite: number;
  readonly output: number;
}

/** Prices by the name of the model; a model that is not in the map has none. */
export type Prices = ReadonlyMap<string, ModelPrice>;
