/** The bounds under which the stream of one model call is read (docs/protocol.md "Ports"). */
export interface StreamOptions {
  /** Where reading stops: at the first call that is proven complete, or only at the end of the stream. */
  readonly stopAt: 'first-complete-call' | 'end';
  /** Text before the first text of this call, so that two answers are not glued together. */
  readonly lead: string;
  /** When reading stops, in milliseconds of the turn's clock. The text up to then counts. */
  readonly deadline: number;
  /** The most output tokens that this call may stream. */
  readonly tokenBudget: number;
  /** True when the model is offered the tools that the turn's mode allows. */
  readonly tools: boolean;
  readonly temperature: number;
  readonly maxTokens: number;
  /** Set when the text is the content of this write session: it may repeat itself, and it keeps the session alive. */
  readonly writeSession?: { readonly sessionId: string };
}

/** Why the stream of a model call was read no further. A stream that broke off has none. */
export type ModelStopReason =
  | 'stop'
  | 'tool_calls'
  | 'length'
  | 'content_filter'
  | 'time'
  | 'tokens'
  /** The call was not made, because a budget could not have paid for it. */
  | 'cost'
  | 'repetition'
  | 'cancelled'
  /** A message of the user has interrupted the call, and the turn continues with that message. */
  | 'steered';
