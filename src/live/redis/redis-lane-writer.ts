import type { Clock } from '../../base/timing/clock.ts';
import type { RedisCommands } from './redis-client.ts';
import type { RedisConnection } from './redis-connection.ts';
import type { TurnNames } from './turn-names.ts';

/** About how many messages a stream keeps for readers that come late or come back; the durable log has the rest. */
const MAX_STREAM_ENTRIES = 1_000;
/** Seconds after which Redis deletes a stream. While it grows, the time begins again every `EXTEND_EXPIRY_MS`. */
const EXPIRY_SECONDS = 60;
const EXTEND_EXPIRY_MS = 20_000;
/**
 * The error of XADD for an id that is not above the last id of the stream. Either this message is already there, or a
 * later writer has written since.
 */
const ALREADY_STORED = /equal or smaller than the target stream top item/;

export interface RedisLaneWriterDeps {
  readonly connection: RedisConnection;
  readonly names: TurnNames;
  readonly clock: Pick<Clock, 'now'>;
}

/** Whether a message was stored for readers that come later, and whether it was sent to any reader. */
export interface LaneWriteOutcome {
  readonly isStored: boolean;
  readonly hasReaders: boolean;
}

/** Writes messages with events: adds them to the turn's stream and sends them to its channel. */
export class RedisLaneWriter {
  readonly #deps: RedisLaneWriterDeps;
  #expiryExtendedAt = -Infinity;

  constructor(deps: RedisLaneWriterDeps) {
    this.#deps = deps;
  }

  /**
   * Notes that the next messages go over another connection. The server may have lost the stream meanwhile, so the
   * first of them sets the time of its deletion.
   */
  reconnected(): void {
    this.#expiryExtendedAt = -Infinity;
  }

  /** Writes a message whose last event has the id `lastId`. Never rejects; what the server refuses is logged. */
  async write(commands: RedisCommands, text: string, lastId: string): Promise<LaneWriteOutcome> {
    const { lane } = this.#deps.names;
    const TRIM = { strategy: 'MAXLEN', strategyModifier: '~', threshold: MAX_STREAM_ENTRIES } as const;
    // The entry has the id of its last event, so that Redis refuses a repeat of the message.
    const stored = commands.xAdd(lane, lastId, { m: text }, { TRIM }).then(() => true, this.#isAlreadyStored);
    const sent = commands.publish(lane, text).then((readers) => readers > 0, this.#logNoReaders);
    this.#extendExpiry(commands);
    const [isStored, hasReaders] = await Promise.all([stored, sent]);
    return { isStored, hasReaders };
  }

  /** Returns true if the error says that the message is already in the stream. Logs any other error. */
  readonly #isAlreadyStored = (error: unknown): boolean => {
    const isAlreadyStored = error instanceof Error && ALREADY_STORED.test(error.message);
    if (!isAlreadyStored) this.#deps.connection.logFailure(error);
    return isAlreadyStored;
  };

  readonly #logNoReaders = (error: unknown): boolean => {
    this.#deps.connection.logFailure(error);
    return false;
  };

  #extendExpiry(commands: RedisCommands): void {
    const { clock, connection, names } = this.#deps;
    if (clock.now() - this.#expiryExtendedAt < EXTEND_EXPIRY_MS) return;
    this.#expiryExtendedAt = clock.now();
    commands.expire(names.lane, EXPIRY_SECONDS).catch((error: unknown) => {
      this.#expiryExtendedAt = -Infinity;
      connection.logFailure(error);
    });
  }
}
