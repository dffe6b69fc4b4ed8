/**
 * The place of a tool result in its turn: the model call that was first sent it, and which of its new messages it is.
 */
export interface ResultPlace {
  /** 1, 2, …: number of the model call. */
  readonly step: number;
  /** Index in the messages that were new in that call. */
  readonly at: number;
}

/** The parts of a turn's own prompt that a model call is sent without, since they do not fit (docs/context.md). */
export interface LeftOut {
  /** Earlier turns, the oldest of those with which the turn began. */
  readonly turns: number;
  /** Results of the turn itself, for each of which a line stands. */
  readonly results: readonly ResultPlace[];
}
