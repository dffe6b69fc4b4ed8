/** The argument of `compactWorkflow`: only ids, no text. */
export interface CompactInput {
  /** The last turn that the summary covers, which names the branch. */
  readonly turnId: string;
  /** The turn whose end has asked for the summary: its model makes it, and its key pays for it. */
  readonly leafTurnId: string;
}

/**
 * The result of one step.
 *
 * - `more`: another step follows.
 * - `gone`: the conversation was removed.
 * - `over_budget`: the key's budget would not pay for it.
 * - `failed`: the model call failed.
 * - `useless`: the model's text is no summary.
 */
export interface CompactReport {
  readonly kind: 'more' | 'ready' | 'gone' | 'over_budget' | 'failed' | 'useless';
  /** Number of turns that the summary covers now. */
  readonly turns: number;
  /** Tokens of the summary now. */
  readonly tokens: number;
}
