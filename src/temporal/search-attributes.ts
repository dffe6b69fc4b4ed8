import type { Connection } from '@temporalio/client';
import { errorMessage } from '../contracts/values/error-message.ts';
import { searchAttributeKeys } from '../contracts/payload/search-attribute-keys.ts';
import type { TemporalClient } from './temporal-client.ts';

/** temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD */
const KEYWORD = 2;
/** Milliseconds to wait for an answer before a turn starts. The client must have its answer within 2 s. */
const ANSWER_MS = 1_000;
const names = searchAttributeKeys.map((key) => key.name);

/**
 * Adds Orion's search attributes to the namespace when they are absent; safe with several processes at once.
 * Resolves to false where they may not be added (Temporal Cloud): turns then run without them. Throws while
 * Temporal cannot be reached.
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
    const why = errorMessage(error);
    warn(`search attributes ${names.join(', ')} cannot be added, turns run without them: ${why}`);
    return false;
  }
  return allPresent(connection, namespace);
};

/**
 * Asks at once, because a server takes up to 2 s to know new attributes; asks again only after Temporal did not answer
 * in time. The returned function rejects in that case.
 */
export const createHasSearchAttributes = (
  temporal: TemporalClient,
  warn: (message: string) => void,
): (() => Promise<boolean>) => {
  let known: Promise<boolean> | undefined;
  const ask = (): Promise<boolean> => {
    known ??= temporal.client
      .withDeadline(Date.now() + ANSWER_MS, () => ensureSearchAttributes(temporal, warn))
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
