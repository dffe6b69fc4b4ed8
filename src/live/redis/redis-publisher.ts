import { Backoff } from '../../base/timing/backoff.ts';
import type { Clock } from '../../base/timing/clock.ts';
import { parseJson } from '../../contracts/values/parse-json.ts';
import type { EventBatch } from '../../contracts/wire/event-batch.ts';
import type { ToolOutput } from '../../contracts/wire/tool-output.ts';
import { readerMessageSchema, type WriterLine } from '../../contracts/wire/redis-lane.ts';
import { batchTexts, bufferedLine, LaneBuffer, type UnacknowledgedBytes } from '../lane-buffer.ts';
import type { LanePublisher, LaneTarget } from '../lane.ts';
import { type LaneLimits, MAX_WAITING_OUTPUT } from '../lane-limits.ts';
import type { RedisCommands } from './redis-client.ts';
import type { RedisConnection } from './redis-connection.ts';
import { RedisLaneWriter, type LaneWriteOutcome } from './redis-lane-writer.ts';
import type { TurnNames } from './turn-names.ts';
import { KIB } from '../../contracts/values/units.ts';

/** About how many bytes one message has at most, unless it consists of one longer line. */
const MAX_MESSAGE_BYTES = 64 * KIB;
/** The most messages of one writer that are under way. Events that come meanwhile are sent together. */
const MAX_IN_FLIGHT = 4;
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 1_000;

export interface RedisPublisherDeps {
  readonly connection: RedisConnection;
  readonly names: TurnNames;
  readonly limits: LaneLimits;
  /** The bytes that all publishers of the process hold together. */
  readonly unacknowledged: UnacknowledgedBytes;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  /** Called once, when the publisher has ended. */
  onStopped(): void;
}

/** Publishes the events of one writer over Redis: adds them to the turn's stream and sends them to its channel. */
export class RedisPublisher implements LanePublisher {
  readonly #deps: RedisPublisherDeps;
  readonly #target: LaneTarget;
  readonly #buffer: LaneBuffer;
  readonly #writer: RedisLaneWriter;
  /** Output that waits for the batches before it. */
  #outputs: ToolOutput[] = [];
  readonly #stopListening: () => void;
  readonly #stopped = Promise.withResolvers<void>();
  #state: 'open' | 'closing' | 'stopped' = 'open';
  /** True when this connection has announced the writer. */
  #isAnnounced = false;
  #isDue = false;
  #inFlight = 0;
  /** True when the last message reached a reader and, if it has events, is stored. */
  #isDelivered = false;
  /** True when a message has to be sent again. No other events are sent before that. */
  #hasFailed = false;
  readonly #backoff = new Backoff(FIRST_BACKOFF_MS, MAX_BACKOFF_MS);
  #cancelRetry: () => void = () => undefined;
  #lastSentAt = -Infinity;

  constructor(deps: RedisPublisherDeps, target: LaneTarget) {
    this.#deps = deps;
    this.#target = target;
    this.#buffer = new LaneBuffer(deps.limits, deps.unacknowledged);
    this.#writer = new RedisLaneWriter(deps);
    this.#stopListening = deps.connection.listen(deps.names.replyChannel, {
      onMessage: (text) => this.#receive(text),
      onSubscribed: () => undefined,
    });
    this.#requestWrite();
  }

  get isHealthy(): boolean {
    const age = this.#deps.clock.now() - (this.#buffer.oldestAt ?? Infinity);
    return this.#state !== 'stopped' && this.#isDelivered && age < this.#deps.limits.lateMs;
  }

  publish(batch: EventBatch, json?: readonly string[]): void {
    if (this.#state !== 'open') return;
    const now = this.#deps.clock.now();
    for (const { text, lastId } of batchTexts(batch, json)) {
      this.#buffer.push(bufferedLine(`${text}\n`, lastId, now));
    }
    this.#requestWrite();
  }

  output(output: ToolOutput): void {
    if (this.#state !== 'open' || !this.#deps.connection.commands) return;
    const waiting = this.#outputs.reduce((length, { content }) => length + content.length, 0);
    if (waiting > MAX_WAITING_OUTPUT) return;
    this.#outputs.push(output);
    this.#write();
  }

  async close(): Promise<void> {
    if (this.#state === 'open') {
      this.#state = 'closing';
      // There is no point in waiting for a server that is known to be away.
      if (this.#deps.connection.commands) this.#requestWrite();
      else this.end();
    }
    const cancelDeadline = this.#deps.clock.after(this.#deps.limits.closeMs, () => this.end());
    await this.#stopped.promise;
    cancelDeadline();
  }

  /** Ends the publisher. What is not acknowledged is dropped, and readers are told if there is a connection. */
  end(): void {
    if (this.#state === 'stopped') return;
    this.#state = 'stopped';
    this.#buffer.clear();
    this.#outputs = [];
    this.#cancelRetry();
    this.#stopListening();
    if (this.#isAnnounced) this.#publishLine({ writer: this.#target.epoch, closed: true });
    this.#stopped.resolve();
    this.#deps.onStopped();
  }

  /** Starts over on a new connection: every line that is not acknowledged is sent again. */
  connected(): void {
    this.#writer.reconnected();
    this.#restart();
  }

  /**
   * Notes that the connection is away. Output of tools that was not sent is dropped, and events wait for the next
   * connection.
   */
  lost(): void {
    this.#isDelivered = false;
    this.#isAnnounced = false;
    this.#outputs = [];
  }

  /** Announces the writer again if it has sent nothing for `pingMs`, so that readers do not consider it gone. */
  ping(): void {
    if (this.#deps.clock.now() - this.#lastSentAt >= this.#deps.limits.pingMs) this.#announce();
  }

  #receive(text: string): void {
    const message = readerMessageSchema.safeParse(parseJson(text)).data;
    if (message === undefined || this.#state === 'stopped') return;
    if ('who' in message) this.#announce();
    else if (message.to === this.#target.epoch) this.#target.onControl(message.control);
  }

  /** Sends when the running callback has ended, so that everything it publishes leaves together. */
  #requestWrite(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      this.#write();
    });
  }

  #write(): void {
    const { commands } = this.#deps.connection;
    if (!commands || this.#state === 'stopped' || this.#hasFailed) return;
    // A message with batches also announces the writer.
    while (this.#buffer.hasUnwritten && this.#inFlight < MAX_IN_FLIGHT) this.#send(commands);
    if (!this.#isAnnounced) this.#announce();
    if (!this.#buffer.hasUnwritten) this.#publishOutputs();
    if (this.#state === 'closing' && !this.#buffer.hasUnwritten && this.#inFlight === 0) this.end();
  }

  #publishOutputs(): void {
    for (const output of this.#outputs) this.#publishLine({ writer: this.#target.epoch, output });
    this.#outputs = [];
  }

  #announce(): void {
    this.#isAnnounced = true;
    this.#publishLine({ writer: this.#target.epoch });
  }

  #publishLine(line: WriterLine): void {
    const { connection, names, clock } = this.#deps;
    const { commands } = connection;
    if (!commands) return;
    this.#lastSentAt = clock.now();
    const failed = (error: unknown): void => connection.logFailure(error);
    commands.publish(names.lane, JSON.stringify(line)).then((readers) => this.#noteReaders(readers), failed);
  }

  /** Notes whether a message without events reached a reader. While events are under way, their outcomes decide. */
  #noteReaders(readers: number): void {
    if (this.#inFlight === 0 && this.#buffer.oldestAt === undefined) this.#isDelivered = readers > 0;
  }

  #send(commands: RedisCommands): void {
    const head: WriterLine = { writer: this.#target.epoch };
    const text = `${JSON.stringify(head)}\n${this.#buffer.takeUnwritten(MAX_MESSAGE_BYTES)}`;
    const lastId = this.#buffer.lastWritten ?? '';
    this.#isAnnounced = true;
    this.#lastSentAt = this.#deps.clock.now();
    this.#inFlight += 1;
    const written = this.#writer.write(commands, text, lastId);
    void written.then((outcome) => this.#handleOutcome(commands, lastId, outcome));
  }

  /**
   * Takes the outcome of a message. It is enough that the message is stored or has reached a reader, because a reader
   * that finds a gap asks the durable log.
   */
  #handleOutcome(commands: RedisCommands, lastId: string, { isStored, hasReaders }: LaneWriteOutcome): void {
    this.#inFlight -= 1;
    if (this.#state === 'stopped') return;
    this.#isDelivered = isStored && hasReaders;
    if (isStored || hasReaders) {
      this.#buffer.acknowledge(lastId);
      this.#backoff.reset();
    } else {
      this.#hasFailed = true;
    }
    if (this.#inFlight > 0) return;
    if (!this.#hasFailed) this.#write();
    else if (this.#deps.connection.commands === commands) this.#retry();
    // If the connection is lost, the next one begins with what is not acknowledged.
  }

  #retry(): void {
    this.#cancelRetry = this.#deps.clock.after(this.#backoff.nextPause(), () => this.#restart());
  }

  #restart(): void {
    this.#cancelRetry();
    this.#hasFailed = false;
    this.#isAnnounced = false;
    this.#buffer.rewind();
    this.#requestWrite();
  }
}
