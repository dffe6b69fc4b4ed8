import type { Request, Response } from 'express';
import type { z } from 'zod';
import {
  LANE_CONTENT_TYPE,
  laneBatchSchema,
  laneHelloSchema,
  MAX_LANE_LINE_BYTES,
  type LaneBatch,
  type LaneReply,
} from '../contracts/wire/live-lane.ts';
import { formatEventId } from '../protocol/event-log/event-id.ts';
import type { LaneLog, LaneSink } from './lane.ts';
import { LineSplitter } from './lane-connection.ts';

/** Acknowledgements are collected so long: at 50 chunks/s and 200 writers, one for each would cost more than the events. */
const ACK_EVERY_MS = 100;
/** Answers of a writer that sends but never reads. */
const MAX_UNREAD_BYTES = 256 * 1024;
/** A writer that is let go answers at once by closing its side, unless it is frozen. */
const RELEASE_MS = 200;

export interface LaneReaderDeps {
  readonly turnId: string;
  /** That the writer has proved to have; its hello must name the same. */
  readonly epoch: number;
  readonly request: Request;
  readonly response: Response;
  readonly sink: LaneSink;
  /** The open readers of this gateway by turn and epoch. */
  readonly readers: Map<string, LaneReader>;
  readonly log: LaneLog | undefined;
  readonly onLag: ((milliseconds: number) => void) | undefined;
  /** A writer silent for so many milliseconds, pings included, is dead or frozen. */
  readonly maxSilenceMs: number;
}

/** Serves one writer's connection: whatever comes on it, only this connection suffers. */
export class LaneReader {
  readonly #deps: LaneReaderDeps;
  readonly #lines = new LineSplitter(MAX_LANE_LINE_BYTES);
  #lineNumber = 0;
  /** Undefined before the hello. */
  #epoch: number | undefined;
  #closed = false;
  #lastId: string | undefined;
  #ackTimer: NodeJS.Timeout | undefined;

  constructor(deps: LaneReaderDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { request, response, maxSilenceMs } = this.#deps;
    request.setTimeout(maxSilenceMs, () => this.abort());
    request.on('data', (chunk: Buffer) => {
      const inBounds = this.#lines.feed(chunk, (line) => this.#guarded(() => this.#readLine(line)));
      if (!inBounds) this.#fail(`longer than ${MAX_LANE_LINE_BYTES} bytes`);
    });
    request.on('end', () => this.#finish());
    // A cut connection is no event of its own: 'close' follows.
    request.on('error', () => {});
    response.on('error', () => {});
    response.on('close', () => this.#close());
  }

  #readLine(line: string): void {
    if (this.#closed) return;
    this.#lineNumber += 1;
    if (line === '') this.#write('\n');
    else if (this.#epoch === undefined) this.#parse(line, laneHelloSchema, ({ epoch }) => this.#open(epoch));
    else this.#parse(line, laneBatchSchema, (batch) => this.#take(batch));
  }

  #parse<T>(line: string, schema: z.ZodType<T>, use: (value: T) => void): void {
    let json: unknown;
    try {
      json = JSON.parse(line);
    } catch {
      return this.#fail('expected JSON');
    }
    const parsed = schema.safeParse(json);
    if (parsed.success) return use(parsed.data);
    const issue = parsed.error.issues[0];
    this.#fail(`field ${issue?.path.join('.') || '(whole line)'}: ${issue?.message ?? 'invalid'}`);
  }

  #open(epoch: number): void {
    const { turnId, response, sink, readers } = this.#deps;
    if (epoch !== this.#deps.epoch) return this.#fail(`field epoch: expected ${this.#deps.epoch}`);
    const key = readerKey(turnId, epoch);
    // The writer came back before its old connection was known to be dead.
    readers.get(key)?.abort();
    readers.set(key, this);
    this.#epoch = epoch;
    response.status(200).set({
      'content-type': LANE_CONTENT_TYPE,
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    response.flushHeaders();
    sink.opened(turnId, epoch, (control) => this.#reply({ control }));
  }

  #take({ sentAt, ...batch }: LaneBatch): void {
    const takenAt = Date.now();
    // Before anything else: somebody is waiting for it.
    this.#deps.sink.batch(this.#deps.turnId, batch);
    // Clocks of two machines may differ by more than the lag.
    if (sentAt !== undefined) this.#deps.onLag?.(Math.max(0, takenAt - sentAt));
    this.#lastId = formatEventId({ epoch: batch.epoch, seq: batch.seq + batch.events.length - 1 });
    this.#ackTimer ??= setTimeout(() => this.#acknowledge(), ACK_EVERY_MS).unref();
  }

  #acknowledge(): void {
    clearTimeout(this.#ackTimer);
    this.#ackTimer = undefined;
    if (this.#lastId === undefined) return;
    this.#reply({ ack: this.#lastId });
    this.#lastId = undefined;
  }

  #reply(reply: LaneReply): void {
    this.#write(`${JSON.stringify(reply)}\n`);
  }

  #write(text: string): void {
    const { response } = this.#deps;
    if (this.#closed || !response.headersSent) return;
    response.write(text);
    if (response.writableLength > MAX_UNREAD_BYTES) this.abort();
  }

  #finish(): void {
    if (this.#closed) return;
    if (this.#epoch === undefined) return this.#fail('expected a hello before the end');
    this.#acknowledge();
    this.#close();
    this.#deps.response.end();
  }

  /** Refuses the line and everything after it. */
  #fail(reason: string): void {
    if (this.#closed) return;
    const { request, response } = this.#deps;
    const error = `Live lane, line ${Math.max(this.#lineNumber, 1)}: ${reason}`;
    this.#close();
    if (response.headersSent) {
      response.end(`${JSON.stringify({ error } satisfies LaneReply)}\n`, () => request.socket.destroy());
    } else {
      response.set('connection', 'close').status(400).json({ error, code: 'validation_failed' });
    }
  }

  /**
   * For a gateway that stops: acknowledges what was taken, then cuts. The answer is left without its end, which a
   * writer that has sent its last line would take for the word that everything has arrived.
   */
  release(): void {
    if (this.#closed) return;
    this.#acknowledge();
    this.#close();
    const { socket } = this.#deps.request;
    // Destroyed while lines are on their way, the connection could lose the acknowledgement.
    socket.end();
    setTimeout(() => socket.destroy(), RELEASE_MS).unref();
  }

  /** Cuts the connection. */
  abort(): void {
    this.#close();
    this.#deps.request.socket.destroy();
  }

  /** A defect of the sink, met by one writer's events, must not end the process that serves all. */
  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      const { log, turnId } = this.#deps;
      log?.warn({ err: error, turnId }, 'The live lane of a turn was cut: its events could not be taken');
      this.abort();
    }
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#ackTimer);
    const { turnId, readers, sink } = this.#deps;
    const epoch = this.#epoch;
    if (epoch === undefined) return;
    const key = readerKey(turnId, epoch);
    if (readers.get(key) === this) readers.delete(key);
    this.#guarded(() => sink.closed(turnId, epoch));
  }
}

const readerKey = (turnId: string, epoch: number): string => `${turnId} ${epoch}`;
