import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Clock } from '../../base/timing/clock.ts';
import { parseJson } from '../../contracts/values/parse-json.ts';
import {
  LANE_CONTENT_TYPE,
  laneReplySchema,
  MAX_LANE_LINE_BYTES,
  type LaneReply,
} from '../../contracts/wire/live-lane.ts';
import type { LaneLimits } from '../lane-limits.ts';
import { LineSplitter } from './line-splitter.ts';

/**
 * The end of a connection. `refused` means that the gateway does not accept this worker, or sends what this worker does
 * not understand. Another try would end the same way. `lost` means that the connection was cut, or never made.
 */
export type ConnectionEnd =
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'lost';
      readonly cause: Error | undefined;
      /** Milliseconds for which the gateway had accepted the connection. Undefined when it never did. */
      readonly acceptedMs: number | undefined;
    };

/** The handlers of messages that come over a connection. */
export interface ConnectionHandlers {
  /** Takes a line of the gateway about one writer or several. */
  onReply(reply: Exclude<LaneReply, { error: string }>): void;
  /** Says that the socket takes text again after `isCongested` was true. */
  onDrained(): void;
  /** Says that the connection has ended. Called once, after everything else. */
  onEnded(end: ConnectionEnd): void;
}

export interface ConnectionDeps {
  readonly url: URL;
  readonly authorization: string;
  readonly limits: Pick<LaneLimits, 'pingMs' | 'stalledMs'>;
  readonly clock: Pick<Clock, 'now' | 'every'>;
  readonly handlers: ConnectionHandlers;
}

/** Number of checks within the shorter of the two limits. A ping is then late by at most a fifth of that time. */
const CHECKS_PER_LIMIT = 5;

/**
 * One connection of a worker to a gateway: a chunked POST whose response is read while the request is still being
 * written.
 */
export class LaneConnection {
  readonly #deps: ConnectionDeps;
  readonly #request: ClientRequest;
  readonly #replies = new LineSplitter(MAX_LANE_LINE_BYTES);
  readonly #stopChecks: () => void;
  #isCongested = false;
  #acceptedAt: number | undefined;
  /**
   * Time of the first write since the gateway was last heard. The gateway has owed an answer since then. Undefined
   * while it owes none.
   */
  #awaitingSince: number | undefined;
  #activeAt: number;
  #refusal: string | undefined;
  #error: Error | undefined;

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
    const { url, authorization, limits, clock, handlers } = deps;
    const headers = { authorization, 'content-type': LANE_CONTENT_TYPE };
    // Without an agent: the request and its socket end together, so that there is nothing to pool.
    this.#request = request(url, { method: 'POST', agent: false, headers });
    this.#request.setNoDelay(true);
    this.#request.on('response', (response) => this.#readResponse(response));
    this.#request.on('drain', () => {
      this.#isCongested = false;
      handlers.onDrained();
    });
    this.#request.on('error', (error) => (this.#error ??= error));
    this.#request.on('close', () => {
      this.#stopChecks();
      handlers.onEnded(this.#end());
    });
    const checkMs = Math.min(limits.pingMs, limits.stalledMs) / CHECKS_PER_LIMIT;
    this.#stopChecks = clock.every(checkMs, () => this.#checkPeer());
    this.#activeAt = clock.now();
    // The headers are sent even before there is a line, because only an answer shows whether the gateway accepts the
    // connection.
    this.#awaitingSince = this.#activeAt;
    this.#request.flushHeaders();
  }

  /**
   * True when the socket's buffer is full: the gateway does not read fast enough, and writing more would only fill
   * memory.
   */
  get isCongested(): boolean {
    return this.#isCongested;
  }

  /** True once the gateway has answered with status 200, as it does when it accepts this worker. */
  get isAccepted(): boolean {
    return this.#acceptedAt !== undefined;
  }

  /** Reports whether the gateway has accepted the connection and has not owed an answer for `lateMs` or longer. */
  isHealthy(lateMs: number): boolean {
    const awaitingMs = this.#deps.clock.now() - (this.#awaitingSince ?? Infinity);
    return this.#acceptedAt !== undefined && awaitingMs < lateMs;
  }

  /**
   * Sends whole lines. What the socket does not take at once waits in memory, so a caller looks at `isCongested` first.
   */
  write(text: string): void {
    this.#activeAt = this.#deps.clock.now();
    this.#awaitingSince ??= this.#activeAt;
    if (!this.#request.write(text)) this.#isCongested = true;
  }

  /** Cuts the connection. Its handler `onEnded` is called afterwards. */
  destroy(): void {
    this.#request.destroy();
  }

  #checkPeer(): void {
    const now = this.#deps.clock.now();
    const { pingMs, stalledMs } = this.#deps.limits;
    if (now - (this.#awaitingSince ?? now) >= stalledMs) this.destroy();
    // An empty line is a ping, which the gateway answers with another.
    else if (now - this.#activeAt >= pingMs) this.write('\n');
  }

  #end(): ConnectionEnd {
    if (this.#refusal !== undefined) return { kind: 'refused', reason: this.#refusal };
    const accepted = this.#acceptedAt;
    const acceptedMs = accepted === undefined ? undefined : this.#deps.clock.now() - accepted;
    return { kind: 'lost', cause: this.#error, acceptedMs };
  }

  #readResponse(response: IncomingMessage): void {
    const status = response.statusCode ?? 0;
    if (status !== 200) {
      // With 5xx the gateway, or a proxy in front of it, is not ready yet, so another try makes sense.
      if (status < 500) this.#refuse(`HTTP status ${status}`);
      else this.destroy();
      return;
    }
    this.#acceptedAt = this.#deps.clock.now();
    this.#awaitingSince = undefined;
    response.on('data', (chunk: Buffer) => {
      this.#awaitingSince = undefined;
      if (!this.#replies.feed(chunk, (line) => this.#readLine(line))) this.#refuse('answer line too long');
    });
    response.on('error', (error) => (this.#error ??= error));
    response.on('end', () => this.destroy());
  }

  #readLine(line: string): void {
    if (line === '' || this.#refusal !== undefined) return;
    const reply = laneReplySchema.safeParse(parseJson(line)).data;
    if (!reply) this.#refuse(`answer line not understood: ${line.slice(0, 200)}`);
    else if ('error' in reply) this.#refuse(reply.error);
    else this.#deps.handlers.onReply(reply);
  }

  #refuse(reason: string): void {
    this.#refusal ??= reason;
    this.destroy();
  }
}
