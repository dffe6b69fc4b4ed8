/** A model that takes over a call when the one before it is not available. */
export interface FallbackModel {
  readonly model: string;
  /** Tokens that its prompts may have: its window, less the longest answer. */
  readonly promptTokens: number;
}
