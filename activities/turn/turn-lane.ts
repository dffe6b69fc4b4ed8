import type { TurnActivityInput } from '../../src/contracts/payload/turn-activity-payloads.ts';
import type { LaneControl } from '../../src/contracts/wire/live-lane.ts';
import { noopPublisher, type LanePublisher, type LaneTransport } from '../../src/live/lane.ts';

export interface LaneDeps {
  /** Transport of the lane. Absent when the lane is off, and every turn then has `noopPublisher`. */
  readonly lane?: LaneTransport;
}

/**
 * Opens the lane of an activity that begins no epoch of its own, and sends the prelude on it. The lane is opened for
 * the newest epoch of the prelude, or for epoch 0 if there is no prelude.
 */
export const openLatestLane = (
  deps: LaneDeps,
  input: TurnActivityInput,
  onControl: (control: LaneControl) => void = () => undefined,
): LanePublisher => openTurnLane(deps, input, input.prelude.at(-1)?.epoch ?? 0, onControl);

/**
 * Opens the lane of one activity and sends the prelude on it. Returns a publisher that does nothing if the lane is off.
 */
export const openTurnLane = (
  { lane }: LaneDeps,
  { turnId, liveLane, prelude }: TurnActivityInput,
  epoch: number,
  onControl: (control: LaneControl) => void,
): LanePublisher => {
  if (lane === undefined || liveLane === undefined) return noopPublisher;
  const publisher = lane.open({ address: liveLane, turnId, epoch, onControl });
  for (const batch of prelude) publisher.publish(batch);
  return publisher;
};
