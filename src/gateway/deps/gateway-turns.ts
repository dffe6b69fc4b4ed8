import type { TurnCanceller, InputRequests, SteerSender } from '../ports/turn-controls.ts';
import type { LiveTurns } from '../ports/live-turns.ts';
import type { TurnReader } from '../ports/turn-views.ts';
import type { TurnStarter } from '../ports/turn-starts.ts';

/** The dependencies of the routes that reach turns and their workflows. */
export interface GatewayTurns {
  readonly starter: TurnStarter;
  readonly turns: TurnReader;
  readonly canceller: TurnCanceller;
  readonly inputRequests: InputRequests;
  readonly steers: SteerSender;
  readonly watchedTurns: LiveTurns;
}
