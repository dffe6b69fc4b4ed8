/** A model that takes over a call when the one before it is not available. */
export interface FallbackModel {
  readonly model: string;
  /** The most tokens that its prompts may have: its context window less the longest answer. */
  readonly promptTokens: number;
}
