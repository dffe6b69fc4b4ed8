import type { Connection } from '@temporalio/client';
import { errorMessage } from '../contracts/values/error-message.ts';
import { searchAttributeKeys } from '../contracts/payload/search-attribute-keys.ts';
import type { TemporalClient } from './temporal-client.ts';

/** The type of the attributes: INDEXED_VALUE_TYPE_KEYWORD of temporal.api.enums.v1.IndexedValueType. */
const KEYWORD = 2;
/**
 * Milliseconds to wait for an answer before a turn starts. A client of the gateway must have its response within 2 s.
 */
const RESPONSE_TIMEOUT_MS = 1_000;
const names = searchAttributeKeys.map((key) => key.name);

/**
 * Adds Orion's search attributes to the namespace if they are missing. Several processes may do so at once. Resolves to
 * true if the namespace then has them. Resolves to false if adding them has failed, as on Temporal Cloud, or has no
 * effect yet. Turns then run without them. Rejects while Temporal cannot be reached.
 */
export const ensureSearchAttributes = async (
  { connection, namespace }: TemporalClient,
  warn: (message: string) => void,
): Promise<boolean> => {
  if (await allPresent(connection, namespace)) return true;
  const searchAttributes = Object.fromEntries(names.map((name) => [name, KEYWORD]));
  try {
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  } catch (error) {
    if (await allPresent(connection, namespace)) return true;
    const message = errorMessage(error);
    warn(`search attributes ${names.join(', ')} cannot be added, turns run without them: ${message}`);
    return false;
  }
  return allPresent(connection, namespace);
};

/**
 * Creates a function that resolves to true if the namespace has Orion's search attributes, and rejects if Temporal does
 * not answer in time. The first request is sent now, because a server takes up to 2 s to know new attributes. Another
 * one is sent only after a request that failed.
 */
export const createHasSearchAttributes = (
  temporal: TemporalClient,
  warn: (message: string) => void,
): (() => Promise<boolean>) => {
  let known: Promise<boolean> | undefined;
  const ask = (): Promise<boolean> => {
    known ??= temporal.client
      .withDeadline(Date.now() + RESPONSE_TIMEOUT_MS, () => ensureSearchAttributes(temporal, warn))
      .catch((error: unknown) => {
        known = undefined;
        throw error;
      });
    return known;
  };
  ask().catch(() => undefined);
  return ask;
};

const allPresent = async (connection: Connection, namespace: string): Promise<boolean> => {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return names.every((name) => customAttributes?.[name] === KEYWORD);
};
