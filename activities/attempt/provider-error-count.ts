import { Context } from '@temporalio/activity';
import { fieldsOf } from '../../src/contracts/values/unchecked-value.ts';

const MAX_PROVIDER_ERRORS = 3;

/**
 * Counts the provider's errors that may pass, over all attempts of a call. The count travels in the heartbeat details
 * (docs/turns.md "turnWorkflow"). The third error ends the call. An attempt that was lost with its worker does not
 * count.
 */
export class ProviderErrorCount {
  #count = countIn(Context.current().info.heartbeatDetails);

  /** Returns the count as heartbeat details, from which the next attempt reads it. */
  details(): { providerErrors: number } {
    return { providerErrors: this.#count };
  }

  /** Adds one error. Returns true when the call must not be repeated. */
  addAndCheckLimit(): boolean {
    this.#count += 1;
    Context.current().heartbeat(this.details());
    return this.#count >= MAX_PROVIDER_ERRORS;
  }
}

const countIn = (details: unknown): number => {
  const { providerErrors } = fieldsOf(details);
  return typeof providerErrors === 'number' ? providerErrors : 0;
};
