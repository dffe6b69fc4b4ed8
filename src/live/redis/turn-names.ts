import { createHmac } from 'node:crypto';

/** The beginning of all names that Orion uses in Redis, for keys and channels. */
const PREFIX = 'orion:live:';

/** The names that a turn has in Redis. */
export interface TurnNames {
  /** Key of the turn's stream, and name of the channel on which writers publish what they add to it. */
  readonly lane: string;
  /** Name of the channel on which readers answer. */
  readonly replyChannel: string;
}

/**
 * Returns the names of a turn, which are the same in all processes that share the token. They contain a keyed hash
 * instead of the turn's id, so that installations which share a Redis do not meet, and so that Redis contains no id
 * that a client chose.
 */
export const turnNamesOf = (token: string, turnId: string): TurnNames => {
  const hash = createHmac('sha256', token).update(JSON.stringify(['orion-redis-1', turnId]));
  const lane = PREFIX + hash.digest('base64url');
  return { lane, replyChannel: `${lane}:back` };
};
