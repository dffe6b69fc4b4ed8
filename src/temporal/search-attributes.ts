import type { Connection } from '@temporalio/client';
import { type Clock, systemClock } from '../base/timing/clock.ts';
import { errorMessage } from '../contracts/values/error-message.ts';
import { SEARCH_ATTRIBUTE_KEYS } from '../contracts/payload/search-attribute-keys.ts';
import type { TemporalClient } from './temporal-client.ts';

/** The type of the attributes: INDEXED_VALUE_TYPE_KEYWORD of temporal.api.enums.v1.IndexedValueType. */
const KEYWORD = 2;
/**
 * Milliseconds to wait for an answer before a turn starts. A client of the gateway must have its response within 2 s.
 */
const RESPONSE_TIMEOUT_MS = 1_000;
/**
 * Milliseconds after which a namespace that lacked the attributes is looked at again. Adding them may succeed later, or
 * somebody else may add them. On a server that always refuses, not every turn should wait for the refusal.
 */
const RETRY_AFTER_MS = 10_000;
const NAMES = SEARCH_ATTRIBUTE_KEYS.map((key) => key.name);

/**
 * Creates a function that reports whether the namespace has Orion's search attributes, and adds them if they are
 * missing. It resolves to false if adding them has failed, as on Temporal Cloud, or has no effect yet. Turns then run
 * without them. It rejects if Temporal does not answer in time and has not answered before. `warn` gets the reason of
 * the first failed addition.
 *
 * The first request is sent now, because a server takes up to 2 s to know new attributes. Once the namespace has them,
 * no other request is sent. Until then a call sends one after a request that was rejected, and `RETRY_AFTER_MS` after
 * one that found no attributes.
 */
export const createHasSearchAttributes = (
  temporal: TemporalClient,
  warn: (message: string) => void,
  clock: Pick<Clock, 'now'> = systemClock,
): (() => Promise<boolean>) => {
  let latest: Promise<boolean> | undefined;
  let validUntil = Infinity;
  let wereMissing = false;
  let hasWarned = false;
  const warnOnce = (message: string): void => {
    if (!hasWarned) warn(message);
    hasWarned = true;
  };
  const request = async (): Promise<boolean> => {
    validUntil = Infinity;
    try {
      const deadline = Date.now() + RESPONSE_TIMEOUT_MS;
      const ensure = () => ensureSearchAttributes(temporal, warnOnce);
      const arePresent = await temporal.client.withDeadline(deadline, ensure);
      wereMissing = !arePresent;
      if (wereMissing) validUntil = clock.now() + RETRY_AFTER_MS;
      return arePresent;
    } catch (error) {
      validUntil = -Infinity;
      // What was missing at the last answer counts as missing while Temporal is away, so that turns are stored.
      if (wereMissing) return false;
      throw error;
    }
  };
  const ask = (): Promise<boolean> => {
    if (latest === undefined || clock.now() >= validUntil) latest = request();
    return latest;
  };
  ask().catch(() => undefined);
  return ask;
};

/**
 * Adds Orion's search attributes to the namespace if they are missing. Several processes may do so at once. Resolves to
 * true if the namespace then has them. Resolves to false if adding them has failed or has no effect yet. Rejects while
 * Temporal cannot be reached.
 */
const ensureSearchAttributes = async (
  { connection, namespace }: TemporalClient,
  warn: (message: string) => void,
): Promise<boolean> => {
  if (await areAllPresent(connection, namespace)) return true;
  const searchAttributes = Object.fromEntries(NAMES.map((name) => [name, KEYWORD]));
  try {
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  } catch (error) {
    if (await areAllPresent(connection, namespace)) return true;
    const message = errorMessage(error);
    warn(`search attributes ${NAMES.join(', ')} cannot be added, turns run without them: ${message}`);
    return false;
  }
  return areAllPresent(connection, namespace);
};

const areAllPresent = async (connection: Connection, namespace: string): Promise<boolean> => {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return NAMES.every((name) => customAttributes?.[name] === KEYWORD);
};
