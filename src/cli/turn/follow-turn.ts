import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { Backoff, STABLE_CONNECTION_MS } from '../../base/timing/backoff.ts';
import { errorMessage } from '../../contracts/values/error-message.ts';
import { parseJson } from '../../contracts/values/parse-json.ts';
import { STREAM_SILENCE_MS } from '../../contracts/wire/sse-pace.ts';
import { toolOutputSchema, type ToolOutput } from '../../contracts/wire/tool-output.ts';
import { isTerminal, turnEventSchema, type TurnEvent } from '../../contracts/wire/turn-event.ts';
import { GatewayRefusedError, GatewayUnreachableError } from '../http/gateway-failures.ts';
import type { TurnClient } from '../http/turn-client.ts';

/** An event as the turn's stream carries it. */
export interface TurnFrame {
  readonly id: string;
  readonly event: TurnEvent;
}

/** One part of a turn's stream: an event, or output of a tool, which has no id and is not repeated. */
export type StreamPart = TurnFrame | ToolOutput;

export interface FollowDeps {
  readonly turns: Pick<TurnClient, 'openEvents'>;
  readonly sleep: (ms: number) => Promise<void>;
  /** Returns milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Called at most once for each interruption of the stream. */
  readonly onInterruption: (reason: string) => void;
  /**
   * Called once for each interruption that lasts longer than `OUTAGE_MS`, because the user sees nothing happen and
   * should know why.
   */
  readonly onOutage: (reason: string) => void;
  readonly signal: AbortSignal;
}

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 1_000;
/**
 * Time in milliseconds for which an interruption may last. The turn continues without readers, and a gateway that is
 * away for this long will not come back soon.
 */
const GIVE_UP_MS = 60_000;
/**
 * Time in milliseconds after which an interruption counts as an outage. A gateway that restarts is usually back sooner.
 */
const OUTAGE_MS = 3_000;

/**
 * Yields the events of a turn to its end, and output of its tools, across restarts of the gateway. It resumes after the
 * last id that it saw, so no event is lost or doubled (docs/turns.md "SSE"). A connection that ends at once without an
 * error is a failed attempt, too. Throws `GatewayRefusedError` when the turn cannot be read, the error of an
 * interruption that lasts longer than `GIVE_UP_MS`, or the signal's reason.
 */
export const followTurn = async function* (deps: FollowDeps, turnId: string): AsyncGenerator<StreamPart> {
  const { sleep, onInterruption, signal } = deps;
  let lastId: string | undefined;
  const backoff = new Backoff(FIRST_DELAY_MS, MAX_DELAY_MS);
  const outage = new OutageWatch(deps);
  for (;;) {
    let failure: unknown = new GatewayUnreachableError('the gateway', 'the stream ended before its turn');
    try {
      for await (const part of readConnection(deps, turnId, lastId, () => outage.noteBytes())) {
        if (part === 'turn_ended') return;
        backoff.reset();
        outage.end();
        if ('id' in part) lastId = part.id;
        yield part;
        if ('id' in part && isTerminal(part.event)) return;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!isTransient(error)) throw error;
      if (backoff.isFirst) onInterruption(errorMessage(error));
      failure = error;
    }
    outage.noteFailure(failure);
    await sleep(backoff.nextPause());
  }
};

/**
 * Yields the parts that one connection delivers. Yields `turn_ended` if the turn has ended and all of it was delivered.
 */
const readConnection = async function* (
  { turns, signal }: FollowDeps,
  turnId: string,
  lastId: string | undefined,
  onBytes: () => void,
): AsyncGenerator<StreamPart | 'turn_ended'> {
  const silence = new SilenceWatch();
  try {
    const response = await turns.openEvents(turnId, lastId, AbortSignal.any([signal, silence.signal]));
    if (response.status === 204 || response.body === null) {
      yield 'turn_ended';
      return;
    }
    onBytes();
    const received: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (message) => received.push(message) });
    for await (const text of decodeText(response.body)) {
      onBytes();
      silence.restart();
      parser.feed(text);
      yield* received.splice(0).flatMap(readPart);
    }
  } catch (error) {
    throw silence.signal.aborted ? new GatewayUnreachableError('the gateway', silence.signal.reason) : error;
  } finally {
    silence.stop();
  }
};

/** Decodes bytes as text. A broken connection counts as a gateway that is away, not as another error. */
const decodeText = async function* (body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  try {
    for await (const bytes of body) yield decoder.decode(bytes, { stream: true });
  } catch (error) {
    throw new GatewayUnreachableError('the gateway', error);
  }
};

/**
 * Returns the part that a frame carries. A frame of a newer gateway that this version does not know gives none, and is
 * never an error.
 */
const readPart = ({ id, data }: EventSourceMessage): StreamPart[] => {
  const body = parseJson(data);
  const event = turnEventSchema.safeParse(body);
  if (event.success) return id === undefined ? [] : [{ id, event: event.data }];
  const output = toolOutputSchema.safeParse(body);
  return output.success ? [output.data] : [];
};

/** Reports whether a failure may be temporary: a restart, Temporal or Postgres away, too many streams at once. */
const isTransient = (error: unknown): boolean =>
  error instanceof GatewayUnreachableError ||
  (error instanceof GatewayRefusedError && (error.status >= 500 || error.status === 429));

/** Measures how long an interruption lasts, over all failed attempts to end it. */
class OutageWatch {
  readonly #deps: Pick<FollowDeps, 'now' | 'onOutage'>;
  #since: number | undefined;
  /** When the present connection was made, and when it last brought bytes. Undefined if there is none. */
  #connection: { readonly since: number; until: number } | undefined;
  #isReported = false;

  constructor(deps: Pick<FollowDeps, 'now' | 'onOutage'>) {
    this.#deps = deps;
  }

  /** Notes that the gateway accepted a connection, or that bytes came on it, such as a heartbeat. */
  noteBytes(): void {
    const now = this.#deps.now();
    this.#connection ??= { since: now, until: now };
    this.#connection.until = now;
  }

  /**
   * Notes an attempt that failed, or the loss of a connection. Reports an interruption of `OUTAGE_MS` once, and throws
   * `error` after `GIVE_UP_MS`.
   */
  noteFailure(error: unknown): void {
    const { now, onOutage } = this.#deps;
    // A connection that lasted ended the interruption before it, even if its turn waited and delivered nothing.
    const { since = 0, until = 0 } = this.#connection ?? {};
    if (until - since >= STABLE_CONNECTION_MS) this.end();
    this.#connection = undefined;
    this.#since ??= now();
    const lastsMs = now() - this.#since;
    if (lastsMs > GIVE_UP_MS) throw error;
    if (this.#isReported || lastsMs < OUTAGE_MS) return;
    this.#isReported = true;
    onOutage(errorMessage(error));
  }

  /** Notes that the stream delivers again. */
  end(): void {
    this.#since = undefined;
    this.#isReported = false;
  }
}

/**
 * Aborts its signal when nothing arrives for `STREAM_SILENCE_MS`. Otherwise a peer that vanished without a FIN would be
 * awaited for ever.
 */
class SilenceWatch {
  readonly #abort = new AbortController();
  #timer = this.#arm();

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  restart(): void {
    this.stop();
    this.#timer = this.#arm();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #arm(): NodeJS.Timeout {
    return setTimeout(
      () => this.#abort.abort(new Error(`nothing for ${STREAM_SILENCE_MS} ms`)),
      STREAM_SILENCE_MS,
    );
  }
}
