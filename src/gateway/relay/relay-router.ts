import { Router, type Request, type Response } from 'express';
import type { Clock } from '../../base/timing/clock.ts';
import { LANE_CONTENT_TYPE, RELAY_PATH } from '../../contracts/wire/live-lane.ts';
import type { EventBatch } from '../../contracts/wire/event-batch.ts';
import type { ToolOutput } from '../../contracts/wire/tool-output.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { LineSplitter } from '../../live/http/line-splitter.ts';
import { refuseUnread } from '../../live/http/refuse-unread.ts';
import { LaneVerifier, laneRefusalText, type LaneRefusal } from '../../live/http/lane-proof.ts';
import { parseEventId, type EventId } from '../../contracts/wire/event-id.ts';
import { packEvents, type LoggedEvent } from '../../protocol/event-log/event-log.ts';
import type { LiveTurns, TurnViewer } from '../ports/live-turns.ts';
import { startPings } from './relay-pings.ts';
import { MIB } from '../../contracts/values/units.ts';

export interface RelayRouterDeps {
  /** The secret that workers and gateways of an installation share. */
  readonly token: string;
  /** Base URL under which other gateways find this one; their proofs name it. */
  readonly address: string;
  readonly watchedTurns: Pick<LiveTurns, 'attach' | 'cancel' | 'interrupt'>;
  /** Aborted when the gateway begins to stop. New relays are then refused, and their readers ask Temporal. */
  readonly closing: AbortSignal;
  readonly clock: Pick<Clock, 'now' | 'every'>;
  readonly onRefused?: (refusal: LaneRefusal) => void;
}

/** Largest size in bytes of a line from a reader. A line is `cancel`, `interrupt <step>` or empty, which is a ping. */
const MAX_REQUEST_LINE_BYTES = 64;
/**
 * Number of bytes that may wait for a reader. With more its connection is cut. The reader then queries the workflow,
 * and connects again for the rest.
 */
const MAX_UNREAD_EVENT_BYTES = 8 * MIB;
/**
 * Largest number of characters in a line with several events. A character has at most three bytes, so such a line is
 * below `MAX_LANE_LINE_BYTES`.
 */
const MAX_LINE_LENGTH = MIB;
/** Query parameter with which a reader asks for lines `{ output }` between the batches. */
export const OUTPUT_PARAMETER = 'output';
/** The value of `OUTPUT_PARAMETER` that asks for output. */
export const OUTPUT_WANTED = 'live';

/**
 * Returns the text that another gateway signs to read a turn here. It has a space, which no turn id has, so no proof of
 * a writer can be used as one of a reader.
 */
export const relayProofSubject = (turnId: string): string => `relay ${turnId}`;

/**
 * Creates the route at which other gateways read the events of turns that this gateway has started, as they happen
 * (docs/turns.md "Readers at another gateway"): `POST /internal/live/turns/<id>?after=<event id>`, NDJSON in both
 * directions. Mount it beside the router of the lane.
 */
export const createRelayRouter = (deps: RelayRouterDeps): Router => {
  const verifier = new LaneVerifier(deps.token, deps.address);
  const router = Router();
  router.post(`${RELAY_PATH}/:turnId`, (request: Request<{ turnId: string }>, response: Response) => {
    const { turnId } = request.params;
    const after = request.query['after'];
    const from = typeof after === 'string' ? parseEventId(after) : null;
    if (deps.closing.aborted) return refuseUnread(response, 503, 'unavailable', 'This gateway is stopping');
    const verdict = verifier.verify(request.headers.authorization, relayProofSubject(turnId));
    if (!verdict.ok) {
      deps.onRefused?.(verdict.refusal);
      return refuseUnread(response, 401, 'unauthorized', laneRefusalText(verdict.refusal));
    }
    if (from === undefined) {
      return refuseUnread(
        response,
        400,
        'invalid_request',
        `after: expected <epoch>-<seq>, received ${JSON.stringify(after)}`,
      );
    }
    const showsOutput = request.query[OUTPUT_PARAMETER] === OUTPUT_WANTED;
    serve({ request, response, turnId, from: from ?? null, showsOutput, ...deps });
  });
  return router;
};

interface Relay extends RelayRouterDeps {
  readonly request: Request<{ turnId: string }>;
  readonly response: Response;
  readonly turnId: string;
  readonly from: EventId | null;
  /** True when the reader has asked for output. A reader that has not would take such a line for a fault. */
  readonly showsOutput: boolean;
}

const serve = ({ request, response, turnId, from, showsOutput, watchedTurns, clock }: Relay): void => {
  const { socket } = request;
  const lines = new LineSplitter(MAX_REQUEST_LINE_BYTES);
  const handleLine = (line: string): void => {
    if (line === 'cancel') watchedTurns.cancel(turnId);
    const step = /^interrupt ([1-9]\d{0,5})$/.exec(line)?.[1];
    if (step !== undefined) watchedTurns.interrupt(turnId, Number(step));
  };
  const pings = startPings(clock, { ping: () => response.write('\n'), onSilence: () => socket.destroy() });
  request.on('data', (chunk: Buffer) => {
    pings.noteReceived();
    if (!lines.feed(chunk, handleLine)) socket.destroy();
  });
  // An error on a connection needs no handling of its own: 'close' follows.
  for (const stream of [request, response]) stream.on('error', () => undefined);
  response.status(200).set({ 'content-type': LANE_CONTENT_TYPE, 'cache-control': 'no-store' });
  response.flushHeaders();
  const detach = watchedTurns.attach(turnId, from, new RelayWriter(response, showsOutput));
  response.once('close', () => {
    pings.stop();
    detach();
  });
};

/** Collects the events of one callback and writes them as one piece at its end, or earlier if output follows them. */
class RelayWriter implements TurnViewer {
  readonly #response: Response;
  #waiting: LoggedEvent[] = [];
  #isDue = false;
  readonly #showsOutput: boolean;

  constructor(response: Response, showsOutput: boolean) {
    this.#response = response;
    this.#showsOutput = showsOutput;
  }

  event(id: EventId, event: TurnEvent, after?: string | null): void {
    this.#waiting.push(after === undefined ? { id, event } : { id, after, event });
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => this.#write());
  }

  output(output: ToolOutput): void {
    if (!this.#showsOutput) return;
    // Events that came before the output have to be written before it.
    this.#write();
    this.#send(`${JSON.stringify({ output })}\n`);
  }

  end(): void {
    this.#write();
    this.#response.end();
  }

  #write(): void {
    this.#isDue = false;
    const text = packEvents(this.#waiting).flatMap(relayLines).join('');
    this.#waiting = [];
    this.#send(text);
  }

  #send(text: string): void {
    if (text === '' || this.#response.destroyed) return;
    this.#response.write(text);
    if (this.#response.writableLength > MAX_UNREAD_EVENT_BYTES) this.#response.destroy();
  }
}

/** Returns the lines of a batch: one, or several if it is too long for one. */
const relayLines = (batch: EventBatch): string[] => {
  const text = JSON.stringify(batch);
  const { epoch, seq, events } = batch;
  if (text.length <= MAX_LINE_LENGTH || events.length === 1) return [`${text}\n`];
  const half = events.length >> 1;
  return [
    ...relayLines({ ...batch, events: events.slice(0, half) }),
    ...relayLines({ epoch, seq: seq + half, events: events.slice(half) }),
  ];
};
