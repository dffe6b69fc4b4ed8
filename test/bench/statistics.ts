/** The size and the quantiles of a sample, as reports print them. */
export interface Summary {
  readonly n: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/**
 * Returns the smallest value that at least the share `p` of the sample does not exceed (nearest rank), which is always
 * a measured value. Throws on an empty sample.
 */
export const quantile = (sorted: readonly number[], p: number): number => {
  const value = sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)];
  if (value === undefined) throw new Error('quantile: expected at least one value, received none');
  return value;
};

export const summarize = (values: readonly number[]): Summary => {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    n: sorted.length,
    p50: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    p99: quantile(sorted, 0.99),
  };
};
