/** The bounds under which the stream of one model call is read (docs/protocol.md "Ports"). */
export interface StreamOptions {
  readonly stopAt: 'first-complete-call' | 'end';
  /** Text before the first text of this call, so that two answers are not glued together. */
  readonly lead: string;
  /** Milliseconds since the epoch at which reading stops. What was said by then counts. */
  readonly deadline: number;
  /** Output tokens this call may still stream. */
  readonly tokenBudget: number;
  /** True when the tools of this mode are offered to the model. */
  readonly tools: boolean;
  readonly temperature: number;
  readonly maxTokens: number;
  /** Set when the text is the content of this write session: it may repeat itself, and it keeps the session alive. */
  readonly writeSession?: { readonly sessionId: string };
}

/** The end of a model call whose stream was read as far as wanted. */
export type ModelEnd =
  | 'stop'
  | 'tool_calls'
  | 'length'
  | 'content_filter'
  | 'time'
  | 'tokens'
  /** The call was not made: no budget would have paid for it. */
  | 'cost'
  | 'repetition'
  | 'cancelled'
  /** A message of the user has interrupted the call, and the turn continues with it. */
  | 'steered';
