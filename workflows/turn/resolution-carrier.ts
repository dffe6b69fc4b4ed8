import type { StoredResolution } from '../../src/contracts/inputs/input-request.ts';
import type { TurnActivityInput } from '../../src/contracts/payload/turn-activity-payloads.ts';

/**
 * Resolutions that are not in the rows of their requests yet. Like traces, they go along with the next activities until
 * one of these has stored them.
 */
export class ResolutionCarrier {
  #pending: readonly StoredResolution[] = [];

  /** Adds a resolution, which the next activity takes along. */
  add(resolution: StoredResolution): void {
    this.#pending = [...this.#pending, resolution];
  }

  /**
   * Returns the resolutions for the input of the next activity. The field is missing if there are none, so that the
   * inputs of activities of a turn that asked nobody are unchanged.
   */
  pending(): Pick<TurnActivityInput, 'resolutions'> {
    return this.#pending.length === 0 ? {} : { resolutions: [...this.#pending] };
  }

  /** Notes that an activity with this input, one that stores resolutions, has ended without an error. */
  noteStored({ resolutions = [] }: Pick<TurnActivityInput, 'resolutions'>): void {
    this.#pending = this.#pending.filter((one) => !resolutions.includes(one));
  }
}
