import { request, type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import {
  LANE_CONTENT_TYPE,
  laneReplySchema,
  MAX_LANE_LINE_BYTES,
  type LaneReply,
} from '../contracts/wire/live-lane.ts';
import type { LaneLimits } from './lane.ts';

const NEWLINE = 0x0a;

/** Cuts a byte stream into UTF-8 lines, however the bytes arrive; a line is never longer than `maxBytes`. */
export class LineSplitter {
  readonly #maxBytes: number;
  /** Parts of the line that is not complete yet; joined once, so that a long line costs no repeated copying. */
  #parts: Buffer[] = [];
  #partBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Calls `onLine` for each line that `chunk` completes, without its newline. False: a line is too long, read no more. */
  feed(chunk: Buffer, onLine: (line: string) => void): boolean {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      if (!this.#keep(chunk.subarray(start, end))) return false;
      onLine(this.#takeLine());
      start = end + 1;
    }
    return start === chunk.length || this.#keep(chunk.subarray(start));
  }

  #keep(part: Buffer): boolean {
    this.#partBytes += part.length;
    if (this.#partBytes > this.#maxBytes) return false;
    this.#parts.push(part);
    return true;
  }

  #takeLine(): string {
    const [first] = this.#parts;
    const bytes = first !== undefined && this.#parts.length === 1 ? first : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#partBytes = 0;
    return bytes.toString('utf8');
  }
}

/**
 * How a connection ended. `done`: both sides ended it. `refused`: the gateway will not have this writer, another
 * try would end the same. `lost`: cut, or never made.
 */
export type ConnectionEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'lost';
      readonly cause: Error | undefined;
      /** How long the gateway had accepted it, undefined for never. */
      readonly acceptedMs: number | undefined;
      /** A kept-alive socket that the gateway had just closed: says nothing about the gateway. */
      readonly stale: boolean;
    };

export interface ConnectionHandlers {
  acknowledged(lastId: string): void;
  control(control: 'cancel' | 'fenced'): void;
  /** Writing makes sense again after `congested`. */
  drained(): void;
  /** Called once, last. */
  ended(end: ConnectionEnd): void;
}

export interface ConnectionDeps {
  readonly url: URL;
  readonly agent: Agent;
  readonly authorization: string;
  readonly limits: Pick<LaneLimits, 'pingMs' | 'stalledMs'>;
  readonly handlers: ConnectionHandlers;
}

/** One chunked POST whose answer comes while it is still being written. */
export class LaneConnection {
  readonly #deps: ConnectionDeps;
  readonly #request: ClientRequest;
  readonly #replies = new LineSplitter(MAX_LANE_LINE_BYTES);
  readonly #watch: NodeJS.Timeout;
  #congested = false;
  #acceptedAt: number | undefined;
  /** The first write since the gateway was last heard: it owes a word. */
  #awaitingSince: number | undefined;
  #activeAt = performance.now();
  #end: ConnectionEnd | undefined;
  #error: Error | undefined;

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
    const { url, agent, authorization, limits, handlers } = deps;
    const headers = { authorization, 'content-type': LANE_CONTENT_TYPE };
    this.#request = request(url, { method: 'POST', agent, headers });
    this.#request.setNoDelay(true);
    this.#request.on('response', (response) => this.#readResponse(response));
    this.#request.on('drain', () => {
      this.#congested = false;
      handlers.drained();
    });
    this.#request.on('error', (error) => (this.#error ??= error));
    this.#request.on('close', () => {
      clearInterval(this.#watch);
      handlers.ended(this.#end ?? this.#lost());
    });
    this.#watch = setInterval(() => this.#checkPeer(), Math.min(limits.pingMs, limits.stalledMs) / 5).unref();
  }

  /** The socket's buffer is full: the gateway does not read, and writing on would only grow memory. */
  get congested(): boolean {
    return this.#congested;
  }

  /** Accepted by the gateway, which owes no word for `lateMs` or longer. */
  isHealthy(lateMs: number): boolean {
    const awaitingMs = performance.now() - (this.#awaitingSince ?? Infinity);
    return this.#acceptedAt !== undefined && awaitingMs < lateMs;
  }

  write(text: string): void {
    this.#activeAt = performance.now();
    this.#awaitingSince ??= this.#activeAt;
    if (!this.#request.write(text)) this.#congested = true;
  }

  /** Ends the request; the gateway then acknowledges everything and ends its answer. */
  finish(text: string): void {
    this.#awaitingSince ??= performance.now();
    this.#request.end(text);
  }

  destroy(): void {
    this.#request.destroy();
  }

  #checkPeer(): void {
    const now = performance.now();
    const { pingMs, stalledMs } = this.#deps.limits;
    if (now - (this.#awaitingSince ?? now) >= stalledMs) this.destroy();
    else if (now - this.#activeAt >= pingMs && !this.#request.writableEnded) this.write('\n');
  }

  #lost(): ConnectionEnd {
    const accepted = this.#acceptedAt;
    return {
      kind: 'lost',
      cause: this.#error,
      acceptedMs: accepted === undefined ? undefined : performance.now() - accepted,
      stale: this.#request.reusedSocket && accepted === undefined,
    };
  }

  #readResponse(response: IncomingMessage): void {
    const status = response.statusCode ?? 0;
    if (status !== 200) {
      // 5xx: the gateway, or something before it, is not up yet.
      if (status < 500) this.#refuse(`HTTP status ${status}`);
      else this.destroy();
      return;
    }
    this.#acceptedAt = performance.now();
    this.#awaitingSince = undefined;
    response.on('data', (chunk: Buffer) => {
      this.#awaitingSince = undefined;
      if (!this.#replies.feed(chunk, (line) => this.#readLine(line))) this.#refuse('answer line too long');
    });
    response.on('error', (error) => (this.#error ??= error));
    response.on('end', () => {
      if (this.#request.writableEnded) this.#end ??= { kind: 'done' };
      else this.destroy();
    });
  }

  #readLine(line: string): void {
    if (line === '' || this.#end) return;
    const reply = parseReply(line);
    if (!reply) this.#refuse(`answer line not understood: ${line.slice(0, 200)}`);
    else if ('error' in reply) this.#refuse(reply.error);
    else if ('ack' in reply) this.#deps.handlers.acknowledged(reply.ack);
    else this.#deps.handlers.control(reply.control);
  }

  #refuse(reason: string): void {
    this.#end ??= { kind: 'refused', reason };
    this.destroy();
  }
}

const parseReply = (line: string): LaneReply | undefined => {
  try {
    return laneReplySchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
};
