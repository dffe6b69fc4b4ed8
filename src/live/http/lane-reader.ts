import type { Request, Response } from 'express';
import type { Log } from '../../base/log.ts';
import { parseJson } from '../../contracts/values/parse-json.ts';
import {
  LANE_CONTENT_TYPE,
  laneChannelSchema,
  laneLineSchema,
  MAX_LANE_LINE_BYTES,
  type LaneLine,
  type LaneReply,
} from '../../contracts/wire/live-lane.ts';
import { formatEventId } from '../../contracts/wire/event-id.ts';
import { laneRefusalText, type LaneVerdict } from './lane-proof.ts';
import type { LaneReceiver } from '../lane-receiver.ts';
import { LaneReplies } from './lane-replies.ts';
import { LineSplitter } from './line-splitter.ts';
import { KIB } from '../../contracts/values/units.ts';

/** Milliseconds that a released worker has to close its side. It does so at once unless it is frozen. */
const RELEASE_MS = 200;
/**
 * Number of bytes that are read in one go if input has piled up. After that, other work of this event loop comes first.
 */
const MAX_BYTES_AT_ONCE = 64 * KIB;

export interface LaneReaderDeps {
  readonly request: Request;
  readonly response: Response;
  readonly receiver: LaneReceiver;
  /** Judges the proof of one writer. */
  readonly verify: (proof: string, turnId: string) => LaneVerdict;
  /** Functions that end the open channels of all connections to this gateway, by turn and epoch. */
  readonly writers: Map<string, () => void>;
  readonly log: Pick<Log, 'warn'> | undefined;
  readonly onLag: ((milliseconds: number) => void) | undefined;
  /** Milliseconds without a line, even a ping, after which a worker counts as dead or frozen. */
  readonly maxSilenceMs: number;
}

/** One writer on the connection. */
interface OpenChannel {
  readonly number: number;
  readonly turnId: string;
  readonly epoch: number;
  /** Forgets the channel, and tells the receiver that its writer is gone. */
  readonly leave: () => void;
}

/** Serves the connection of one worker. An error with one turn ends only the channel of that turn's writer. */
export class LaneReader {
  readonly #deps: LaneReaderDeps;
  readonly #lines = new LineSplitter(MAX_LANE_LINE_BYTES);
  readonly #channels = new Map<number, OpenChannel>();
  readonly #replies: LaneReplies;
  #lineNumber = 0;
  #bytesAtOnce = 0;
  #isClosed = false;

  constructor(deps: LaneReaderDeps) {
    this.#deps = deps;
    this.#replies = new LaneReplies(deps.response, () => this.abort());
  }

  /** Accepts the connection: answers with status 200 and begins to read lines. Call it once. */
  start(): void {
    const { request, response, maxSilenceMs } = this.#deps;
    request.setTimeout(maxSilenceMs, () => this.abort());
    request.on('data', (chunk: Buffer) => this.#read(chunk));
    request.on('end', () => this.#finish());
    // An error on a connection needs no handling of its own: 'close' follows.
    request.on('error', () => {});
    response.on('error', () => {});
    response.on('close', () => this.#close());
    const headers = { 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
    response.status(200).set({ 'content-type': LANE_CONTENT_TYPE, ...headers });
    response.flushHeaders();
  }

  /**
   * Ends the connection because the gateway stops: acknowledges what was taken, then closes the socket. The worker
   * sends the rest to the next gateway.
   */
  release(): void {
    if (this.#isClosed) return;
    this.#replies.acknowledge();
    this.#close();
    const { socket } = this.#deps.request;
    // If the socket were destroyed while lines still come in, the acknowledgement could be lost.
    socket.end();
    setTimeout(() => socket.destroy(), RELEASE_MS).unref();
  }

  /** Ends the connection at once. The worker sends again what was not acknowledged. */
  abort(): void {
    this.#close();
    this.#deps.request.socket.destroy();
  }

  #read(chunk: Buffer): void {
    // The count begins again in the next tick, where reading also goes on if it was paused.
    if (this.#bytesAtOnce === 0) setImmediate(() => this.#resume());
    this.#bytesAtOnce += chunk.length;
    const isInBounds = this.#lines.feed(chunk, (line) => this.#readLine(line));
    if (!isInBounds) this.#fail(`longer than ${MAX_LANE_LINE_BYTES} bytes`);
    else if (this.#bytesAtOnce >= MAX_BYTES_AT_ONCE) this.#deps.request.pause();
  }

  #resume(): void {
    this.#bytesAtOnce = 0;
    this.#deps.request.resume();
  }

  #readLine(line: string): void {
    if (this.#isClosed) return;
    this.#lineNumber += 1;
    if (line === '') return this.#replies.answerPing();
    const json = parseJson(line);
    if (json === undefined) return this.#fail('expected JSON');
    const parsed = laneLineSchema.safeParse(json);
    if (parsed.success) return this.#handleLine(parsed.data);
    const [issue] = parsed.error.issues;
    const reason = `field ${issue?.path.join('.') || '(whole line)'}: ${issue?.message ?? 'invalid'}`;
    const addressed = laneChannelSchema.safeParse(json);
    if (addressed.success) this.#refuse(addressed.data.channel, reason);
    else this.#fail(reason);
  }

  /**
   * Handles a line. Without an open channel it is dropped, since a refused writer may send more until it learns of
   * that.
   */
  #handleLine({ channel: number, open, batch, output, close }: LaneLine): void {
    if (open) this.#open(number, open);
    const channel = this.#channels.get(number);
    if (channel && batch) this.#guarded(channel, () => this.#handleBatch(channel, batch));
    if (channel && output) this.#guarded(channel, () => this.#deps.receiver.output(channel.turnId, output));
    if (close) this.#finishChannel(number);
  }

  #open(number: number, { turnId, proof }: NonNullable<LaneLine['open']>): void {
    if (this.#channels.has(number)) return this.#fail(`field channel: ${number} is open already`);
    const { receiver, verify, writers } = this.#deps;
    const verdict = verify(proof, turnId);
    if (!verdict.ok) return this.#refuse(number, laneRefusalText(verdict.refusal));
    const { epoch } = verdict;
    const key = `${turnId} ${epoch}`;
    const leave = (): void => {
      if (!this.#channels.delete(number)) return;
      this.#replies.forget(number);
      if (writers.get(key) === leave) writers.delete(key);
      this.#guarded(channel, () => receiver.closed(turnId, epoch));
    };
    const channel = { number, turnId, epoch, leave };
    // The writer has come back before its old connection was known to be dead.
    writers.get(key)?.();
    writers.set(key, leave);
    this.#channels.set(number, channel);
    this.#guarded(channel, () =>
      receiver.opened(turnId, epoch, (control) => this.#replies.send({ channel: number, control })),
    );
  }

  #handleBatch({ number, turnId }: OpenChannel, { sentAt, ...batch }: NonNullable<LaneLine['batch']>): void {
    const takenAt = Date.now();
    // The receiver comes first, because viewers are waiting for the events.
    this.#deps.receiver.batch(turnId, batch);
    // The clocks of two machines may differ by more than the lag, so the difference may be negative.
    if (sentAt !== undefined) this.#deps.onLag?.(Math.max(0, takenAt - sentAt));
    const lastId = formatEventId({ epoch: batch.epoch, seq: batch.seq + batch.events.length - 1 });
    this.#replies.noteTaken(number, lastId);
  }

  #finishChannel(number: number): void {
    this.#replies.acknowledge();
    this.#channels.get(number)?.leave();
    this.#replies.send({ channel: number, closed: true });
  }

  /** Ends one writer's channel and tells the writer why. Nothing more is taken from it. */
  #refuse(number: number, reason: string): void {
    this.#channels.get(number)?.leave();
    this.#replies.send({ channel: number, refused: `Live lane, line ${this.#lineNumber}: ${reason}` });
  }

  #finish(): void {
    if (this.#isClosed) return;
    this.#replies.acknowledge();
    this.#close();
    this.#deps.response.end();
  }

  /** Refuses the line and ends the connection, with the reason as its last line. */
  #fail(reason: string): void {
    if (this.#isClosed) return;
    const error = `Live lane, line ${Math.max(this.#lineNumber, 1)}: ${reason}`;
    this.#close();
    const { request, response } = this.#deps;
    response.end(`${JSON.stringify({ error } satisfies LaneReply)}\n`, () => request.socket.destroy());
  }

  /** Runs a call of the receiver. If the receiver throws, only this writer is refused: others share the connection. */
  #guarded({ number, turnId }: OpenChannel, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#deps.log?.warn(
        { err: error, turnId },
        'the live lane of a turn was cut: its events could not be taken',
      );
      this.#refuse(number, 'the gateway could not take it');
    }
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#replies.close();
    for (const { leave } of this.#channels.values()) leave();
  }
}
