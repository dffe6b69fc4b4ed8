import type { TurnInput } from '../../src/contracts/payload/turn-workflow-payloads.ts';
import type { TraceCarrier } from './trace-carrier.ts';
import type { TurnLog } from '../../src/protocol/event-log/turn-log.ts';
import type { SteerQueue } from '../../src/protocol/inputs/steer-queue.ts';
import type { TurnState } from './turn-state.ts';
import type { OpenWaits } from './open-waits.ts';
import type { ResolutionCarrier } from './resolution-carrier.ts';

/** Work that a message of the user may interrupt. */
export interface InterruptibleWork {
  /** Number of the model call. Null for a wait. */
  readonly step: number | null;
  /** Called when a message interrupts the work, which then ends by itself. */
  interrupt(): void;
}

/** The messages of users into the turn, as the turn's parts see them. */
export interface Steering {
  /** The core's port for messages into the turn. */
  readonly queue: SteerQueue;
  /** Runs `work` and returns its result. A message with `now` calls `interrupt` of `running` meanwhile. */
  during<T>(running: InterruptibleWork, work: () => Promise<T>): Promise<T>;
}

/** One run of a turn's workflow: what the parts of the turn share. Created by `turnWorkflow`. */
export interface TurnRun {
  readonly input: TurnInput;
  readonly turnLog: TurnLog;
  readonly traces: TraceCarrier;
  readonly state: TurnState;
  readonly openWaits: OpenWaits;
  readonly resolutions: ResolutionCarrier;
  readonly steering: Steering;
  readonly cancellation: { readonly isRequested: boolean };
}
