import type { ModelMessage } from './model-message.ts';

/** The messages that were new in one model call of a turn. */
export interface SentStep {
  /** The number of the model call: 1, 2, … */
  readonly step: number;
  readonly messages: readonly ModelMessage[];
}
