/**
 * The place of a tool result in its turn: the model call that was first sent it, and its index among that call's new
 * messages.
 */
export interface ResultPlace {
  /** The number of the model call: 1, 2, … */
  readonly step: number;
  /** The index in the messages that were new in that call. */
  readonly at: number;
}

/** The parts of a prompt that a model call is sent without, because they do not fit (docs/context.md). */
export interface LeftOut {
  /** How many of the earlier turns in the turn's first prompt are left out, the oldest first. */
  readonly turns: number;
  /** The tool results of the turn itself that are left out. A line takes the place of each. */
  readonly results: readonly ResultPlace[];
}
