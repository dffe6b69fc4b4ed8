import { Context } from '@temporalio/activity';
import { fieldsOf } from '../../src/contracts/values/record.ts';

const MAX_PROVIDER_ERRORS = 3;

/**
 * Counts a call's provider errors over its attempts in the heartbeat details (docs/turns.md "turnWorkflow"): lost
 * workers may repeat a call more often, a failing provider only three times.
 */
export class ProviderErrors {
  #count = countIn(Context.current().info.heartbeatDetails);

  details(): { providerErrors: number } {
    return { providerErrors: this.#count };
  }

  /** Notes one more; true when the call must not be repeated. */
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
