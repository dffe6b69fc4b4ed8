import { systemClock, type Clock } from '../../base/timing/clock.ts';
import type { Log } from '../../base/log.ts';
import { createYieldToLoop } from '../../base/timing/yield-to-loop.ts';
import { parseJson } from '../../contracts/values/parse-json.ts';
import { laneBatchSchema, type LaneControl } from '../../contracts/wire/live-lane.ts';
import { writerLineSchema, type ReaderMessage, type WriterLine } from '../../contracts/wire/redis-lane.ts';
import { formatEventId } from '../../contracts/wire/event-id.ts';
import type { FollowedTurn, LaneReceiver, TurnFeed } from '../lane-receiver.ts';
import { MAX_LANE_SILENCE_MS } from '../lane-limits.ts';
import type { RedisCommands } from './redis-client.ts';
import { DEFAULT_REDIS_LIMITS, RedisConnection, type RedisLimits } from './redis-connection.ts';
import { turnNamesOf, type TurnNames } from './turn-names.ts';

/** The most entries of a stream that are read at a time. */
const ENTRIES_PER_PAGE = 100;
/** Number of sweeps within `maxSilenceMs`. A writer that is gone is then noticed at most a third of that time late. */
const SWEEPS_PER_SILENCE = 3;

export interface RedisFeedOptions {
  /** The address as `redis://` or `rediss://`, with user, password and number of the database where needed. */
  readonly url: string;
  /** `ORION_INTERNAL_TOKEN`, which is never sent. */
  readonly token: string;
  readonly log?: Pick<Log, 'warn' | 'info'>;
  /** Called for every batch that arrives live, with the milliseconds that it took. */
  readonly onLag?: (milliseconds: number) => void;
  readonly limits?: Partial<RedisLimits>;
  readonly clock?: Clock;
  /** Milliseconds of silence after which a writer counts as gone. The default is three of its ping intervals. */
  readonly maxSilenceMs?: number;
}

/** A feed that reads turns from Redis, whichever gateway started them. */
export interface RedisFeed extends TurnFeed {
  /** Closes the connection, and ends the reading of all turns. */
  close(): void;
}

/**
 * Creates a feed. It connects to Redis, and keeps trying until it is closed. A turn that is followed while there is no
 * connection is read as soon as there is one.
 */
export const createRedisFeed = (options: RedisFeedOptions): RedisFeed => {
  const { url, token, log, clock = systemClock, maxSilenceMs = MAX_LANE_SILENCE_MS } = options;
  const limits = { ...DEFAULT_REDIS_LIMITS, ...options.limits };
  const readers = new Set<RedisTurnReader>();
  const connection = new RedisConnection({
    url,
    limits,
    clock,
    log,
    onConnected: () => undefined,
    onLost: () => readers.forEach((reader) => reader.lost()),
  });
  void connection.open();
  const stopSweep = clock.every(maxSilenceMs / SWEEPS_PER_SILENCE, () => {
    for (const reader of readers) reader.sweep(clock.now() - maxSilenceMs);
  });
  return {
    follow: (turn, receiver) => {
      const names = turnNamesOf(token, turn.turnId);
      const reader = new RedisTurnReader(
        { connection, names, clock, log, onLag: options.onLag },
        turn,
        receiver,
      );
      readers.add(reader);
      return () => {
        readers.delete(reader);
        reader.stop();
      };
    },
    close: () => {
      stopSweep();
      readers.forEach((reader) => reader.stop());
      connection.close();
    },
  };
};

interface ReaderDeps {
  readonly connection: RedisConnection;
  readonly names: TurnNames;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'warn'> | undefined;
  readonly onLag: ((milliseconds: number) => void) | undefined;
}

/** Reads one turn: from its stream what was written before, from its channel what is written now. */
class RedisTurnReader {
  readonly #deps: ReaderDeps;
  readonly #turn: FollowedTurn;
  readonly #receiver: LaneReceiver;
  readonly #stopListening: () => void;
  /** Time at which each connected writer was last heard, by its epoch. */
  readonly #lastLineAt = new Map<number, number>();
  #isStopped = false;

  constructor(deps: ReaderDeps, turn: FollowedTurn, receiver: LaneReceiver) {
    this.#deps = deps;
    this.#turn = turn;
    this.#receiver = receiver;
    this.#stopListening = deps.connection.listen(deps.names.lane, {
      onMessage: (text) => this.#guarded(() => this.#receive(text)),
      onSubscribed: () => void this.#catchUp(),
    });
  }

  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#stopListening();
    this.lost();
  }

  /** Notes that the connection is lost: no writer is heard any longer. */
  lost(): void {
    for (const writer of this.#lastLineAt.keys()) this.#closed(writer);
  }

  /** Closes writers that were last heard before `since`. */
  sweep(since: number): void {
    for (const [writer, at] of this.#lastLineAt) if (at < since) this.#closed(writer);
  }

  #receive(text: string): void {
    const [head = '', ...lines] = text.split('\n');
    const line = writerLineSchema.safeParse(parseJson(head)).data;
    if (line === undefined) throw new Error(`expected a writer, received ${head.slice(0, 200)}`);
    if (!this.#lastLineAt.has(line.writer)) this.#opened(line);
    this.#lastLineAt.set(line.writer, this.#deps.clock.now());
    this.#passOn(lines, this.#deps.onLag);
    if (line.output) this.#receiver.output(this.#turn.turnId, line.output);
    if (line.closed) this.#closed(line.writer);
  }

  #passOn(lines: readonly string[], onLag?: (milliseconds: number) => void): void {
    const takenAt = Date.now();
    for (const line of lines) {
      if (line === '') continue;
      const { sentAt, ...batch } = laneBatchSchema.parse(parseJson(line));
      this.#receiver.batch(this.#turn.turnId, batch);
      // A clock that is behind that of the writer would make the lag negative.
      if (sentAt !== undefined) onLag?.(Math.max(0, takenAt - sentAt));
    }
  }

  #opened({ writer }: WriterLine): void {
    const send = (control: LaneControl): void => this.#answerWriters({ to: writer, control });
    this.#lastLineAt.set(writer, this.#deps.clock.now());
    this.#receiver.opened(this.#turn.turnId, writer, send);
  }

  #closed(writer: number): void {
    if (!this.#lastLineAt.delete(writer)) return;
    this.#receiver.closed(this.#turn.turnId, writer);
  }

  /**
   * Reads the stream and asks the writers to announce themselves. It is called once the channel is subscribed, so that
   * no event falls between the two: earlier ones are in the stream, as far as it goes back, and later ones come over
   * the channel.
   */
  async #catchUp(): Promise<void> {
    const { connection, names } = this.#deps;
    this.#answerWriters({ who: true });
    const yieldToLoop = createYieldToLoop();
    try {
      const last = this.#turn.from();
      for (let after = last ? formatEventId(last) : undefined; ;) {
        const page = await this.#readPage(connection.commands, names, after);
        for (const { message } of page) {
          await yieldToLoop();
          if (this.#isStopped) return;
          this.#guarded(() => this.#passOn(message['m']?.split('\n').slice(1) ?? []));
        }
        after = page.at(-1)?.id.toString();
        if (page.length < ENTRIES_PER_PAGE) return;
      }
    } catch (error) {
      connection.logFailure(error);
    }
  }

  async #readPage(commands: RedisCommands | undefined, { lane }: TurnNames, after: string | undefined) {
    const start = after === undefined ? '-' : `(${after}`;
    return (await commands?.xRange(lane, start, '+', { COUNT: ENTRIES_PER_PAGE })) ?? [];
  }

  #answerWriters(message: ReaderMessage): void {
    const { connection, names } = this.#deps;
    const failed = (error: unknown): void => connection.logFailure(error);
    connection.commands?.publish(names.replyChannel, JSON.stringify(message)).catch(failed);
  }

  /**
   * Runs the handler of one turn's message. If it throws, this turn is no longer read, but the connection, which serves
   * all turns, stays.
   */
  #guarded(run: () => void): void {
    if (this.#isStopped) return;
    try {
      run();
    } catch (error) {
      const { turnId } = this.#turn;
      this.#deps.log?.warn(
        { err: error, turnId },
        'a turn is no longer read from Redis: its events could not be taken',
      );
      this.stop();
    }
  }
}
