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

/** The parts of a turn's own prompt that a model call is sent without, since they do not fit (docs/context.md). */
export interface LeftOut {
  /** Number of earlier turns, oldest first, that are left out of those with which the turn began. */
  readonly turns: number;
  /** Results of the turn itself that are left out, with a line in the place of each. */
  readonly results: readonly ResultPlace[];
}
