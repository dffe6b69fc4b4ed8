import type { AcceptedSteer } from '../../contracts/inputs/steering.ts';

/**
 * The messages of users into a running turn (docs/inputs.md "Steering"). Nothing here suspends: messages are accepted
 * whenever they come, and the core takes them when it is about to call the model. Production:
 * `workflows/turn/turn-steering.ts`. Without this port nobody steers.
 */
export interface SteerPort {
  /** True when a message has been accepted but not taken yet. */
  readonly hasPending: boolean;
  /** True when a waiting message wants to interrupt. Nothing else begins before that message is taken. */
  readonly hasInterrupt: boolean;
  /** Takes all waiting messages, in the order in which they were accepted. The model reads them next. */
  take(): readonly AcceptedSteer[];
  /**
   * Says that the turn is about to end. Returns false if a message waits, for which the turn must continue. After true,
   * no message is accepted any longer.
   */
  conclude(): boolean;
}
