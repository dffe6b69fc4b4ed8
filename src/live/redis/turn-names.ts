import { createHmac } from 'node:crypto';

/** Everything of ours in a Redis begins with it, keys and channels alike. */
const PREFIX = 'orion:live:';

/** The keys and channels under which a turn is told in Redis. */
export interface TurnNames {
  /** Key of its stream, and the channel on which writers say what they add to it. */
  readonly lane: string;
  /** Channel on which readers answer. */
  readonly back: string;
}

/**
 * Names of a turn, the same in all processes that share the token: a keyed hash, so that installations in one Redis do
 * not meet, and no id that a client chose is read there.
 */
export const turnNames = (token: string, turnId: string): TurnNames => {
  const hash = createHmac('sha256', token).update(JSON.stringify(['orion-redis-1', turnId]));
  const lane = PREFIX + hash.digest('base64url');
  return { lane, back: `${lane}:back` };
};
