/** The argument of `compactWorkflow`: only ids, no text. */
export interface CompactInput {
  /** The last turn that the summary covers, which names the branch. */
  readonly turnId: string;
  /** The turn whose end asked for the summary. Its model writes the summary, and its key pays for that. */
  readonly leafTurnId: string;
}

/**
 * The result of one step, which summarises as many turns as fit into one model call.
 *
 * - `more`: the summary does not cover all turns yet, so another step follows.
 * - `ready`: the summary covers all turns that it should.
 * - `gone`: the conversation was removed.
 * - `over_budget`: the key's budget cannot pay for the model call.
 * - `failed`: the model call failed.
 * - `useless`: the model's text is blank, repeats itself or was filtered.
 */
export interface CompactReport {
  readonly kind: 'more' | 'ready' | 'gone' | 'over_budget' | 'failed' | 'useless';
  /** Number of turns that the summary covers now. It is 0 if the step added nothing, as `tokens` is then. */
  readonly turns: number;
  /** Tokens of the summary now. */
  readonly tokens: number;
}
