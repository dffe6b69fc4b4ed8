import type { AcceptedSteer } from '../../contracts/inputs/steering.ts';

/**
 * The messages of users into a running turn (docs/inputs.md "Steering"). Nothing here suspends: messages are accepted
 * whenever they come, and the core takes them when it is about to call the model. Production:
 * `workflows/turn/turn-steering.ts`. Without this port nobody steers.
 */
export interface SteerPort {
  /** True when a message is accepted and not taken yet. */
  readonly hasPending: boolean;
  /** True when a message that waits wants to interrupt: nothing else begins before it is taken. */
  readonly hasInterrupt: boolean;
  /** Takes all that wait, in the order in which they were accepted: the model reads them next. */
  take(): readonly AcceptedSteer[];
  /** Says that the turn is about to end. Returns false while a message waits; after true, none is accepted. */
  conclude(): boolean;
}
