import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { z } from 'zod';
import { Backoff, STABLE_CONNECTION_MS } from '../../base/timing/backoff.ts';
import type { Clock } from '../../base/timing/clock.ts';
import type { Log } from '../../base/log.ts';
import { parseJson } from '../../contracts/values/parse-json.ts';
import { eventBatchSchema } from '../../contracts/wire/event-batch.ts';
import {
  LANE_CONTENT_TYPE,
  MAX_LANE_LINE_BYTES,
  RELAY_PATH,
  type LaneControl,
} from '../../contracts/wire/live-lane.ts';
import { toolOutputSchema } from '../../contracts/wire/tool-output.ts';
import { isLoopbackUrl } from '../../base/hosts/loopback.ts';
import { isRedisLane, isSignedLaneAddress } from '../../live/lane-address.ts';
import { LineSplitter } from '../../live/http/line-splitter.ts';
import { proveLane } from '../../live/http/lane-proof.ts';
import type { FollowedTurn, LaneReceiver, TurnFeed } from '../../live/lane-receiver.ts';
import { formatEventId } from '../../contracts/wire/event-id.ts';
import { startPings } from './relay-pings.ts';
import { OUTPUT_PARAMETER, OUTPUT_WANTED, relayProofSubject } from './relay-router.ts';

const MIN_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 5_000;
/**
 * The epoch under which a relay reports to the hub. Epochs of writers are above it. Nothing else reports the turn of a
 * relay here, since its writers connect to another gateway, and a turn that this gateway reads from Redis has no relay.
 */
const RELAY_EPOCH = 0;

const relayLineSchema = z.union([eventBatchSchema, z.object({ output: toolOutputSchema })]);

export interface TurnRelaysDeps {
  /** `ORION_INTERNAL_TOKEN`, which is never sent. */
  readonly token: string;
  /** Base URL of this gateway, in the form in which rows of turns name it. */
  readonly ownAddress: string;
  /**
   * Returns the base URL of the gateway that started a turn. Returns undefined if the turn does not run or is unknown,
   * or its gateway has no lane.
   */
  findAddress(turnId: string): Promise<string | undefined>;
  /** True when this gateway reads from Redis what the writers of other gateways' turns write there. */
  readonly readsRedis: boolean;
  readonly clock: Pick<Clock, 'now' | 'after' | 'every'>;
  readonly log?: Pick<Log, 'debug' | 'warn'>;
}

/**
 * Creates the feed that reads turns from the gateways that started them, over HTTP and one connection for each watched
 * turn. It brings nothing for these turns:
 *
 * - a turn of this gateway
 * - a turn that has ended
 * - a turn that gateways read from Redis
 * - a turn whose gateway does not belong to this installation
 */
export const createTurnRelays = (deps: TurnRelaysDeps): TurnFeed => ({
  follow: (turn, receiver) => {
    if (turn.isStartedHere) return () => undefined;
    const relay = new TurnRelay(deps, { ...turn, receiver });
    relay.start();
    return () => relay.stop();
  },
});

interface RelayedTurn extends FollowedTurn {
  readonly receiver: LaneReceiver;
}

class TurnRelay {
  readonly #deps: TurnRelaysDeps;
  readonly #turn: RelayedTurn;
  #address: URL | undefined;
  #connection: ClientRequest | undefined;
  readonly #backoff = new Backoff(MIN_BACKOFF_MS, MAX_BACKOFF_MS);
  #cancelTimer: () => void = () => undefined;
  #isStopped = false;

  constructor(deps: TurnRelaysDeps, turn: RelayedTurn) {
    this.#deps = deps;
    this.#turn = turn;
  }

  /** Connects to the gateway of the turn. Without an address to connect to, the relay rests until it is stopped. */
  start(): void {
    this.#resolveAddress()
      .then(() => this.#connect())
      .catch((error: unknown) => this.#retryLater(error));
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer();
    this.#connection?.destroy();
  }

  async #resolveAddress(): Promise<void> {
    if (this.#address) return;
    const { token, ownAddress, readsRedis } = this.#deps;
    const address = await this.#deps.findAddress(this.#turn.turnId);
    if (address === undefined || !URL.canParse(address) || (readsRedis && isRedisLane(address))) return;
    const url = new URL(address);
    // A gateway may have signed an address of another scheme, to which a lane cannot connect either.
    if (url.protocol !== 'http:' || url.origin === new URL(ownAddress).origin) return;
    // Without this check, anybody who can write to the database or to Temporal could make this process talk to any
    // server.
    if (isLoopbackUrl(url) || isSignedLaneAddress(token, url)) this.#address = url;
  }

  #connect(): void {
    const address = this.#address;
    if (this.#isStopped || !address) return;
    const { turnId, from } = this.#turn;
    const url = new URL(`${RELAY_PATH}/${encodeURIComponent(turnId)}`, address.origin);
    const lastId = from();
    url.searchParams.set(OUTPUT_PARAMETER, OUTPUT_WANTED);
    if (lastId) url.searchParams.set('after', formatEventId(lastId));
    const subject = { turnId: relayProofSubject(turnId), epoch: RELAY_EPOCH, address: address.origin };
    const headers = {
      authorization: proveLane(this.#deps.token, subject),
      'content-type': LANE_CONTENT_TYPE,
    };
    // No pool keeps the connection, which ends with the relay.
    const connection = request(url, { method: 'POST', agent: false, headers });
    this.#connection = connection;
    this.#watch(connection);
  }

  #watch(connection: ClientRequest): void {
    const { clock } = this.#deps;
    const openedAt = clock.now();
    const pings = startPings(clock, {
      ping: () => connection.write('\n'),
      onSilence: () => connection.destroy(),
    });
    let failure: Error | undefined;
    let isAccepted = false;
    connection.setNoDelay(true);
    connection.on('error', (error) => (failure = error));
    connection.on('response', (response) => {
      pings.noteReceived();
      response.on('data', pings.noteReceived);
      isAccepted = this.#read(connection, response);
    });
    connection.on('close', () => {
      pings.stop();
      const { receiver, turnId } = this.#turn;
      if (isAccepted) this.#guarded(connection, () => receiver.closed(turnId, RELAY_EPOCH));
      if (isAccepted && clock.now() - openedAt >= STABLE_CONNECTION_MS) this.#backoff.reset();
      this.#retryLater(failure);
    });
    connection.flushHeaders();
  }

  /**
   * Starts to read the stream of a response. Returns false when the other gateway refuses, or the relay was stopped.
   */
  #read(connection: ClientRequest, response: IncomingMessage): boolean {
    const { turnId, receiver } = this.#turn;
    if (this.#isStopped) return false;
    response.on('error', () => connection.destroy());
    response.on('end', () => connection.destroy());
    if (response.statusCode !== 200) {
      response.resume();
      // A refusal with a status below 500 would be the same the next time.
      this.#isStopped ||= response.statusCode !== undefined && response.statusCode < 500;
      return false;
    }
    const lines = new LineSplitter(MAX_LANE_LINE_BYTES);
    const send = (control: LaneControl): void => {
      if (control === 'cancel') connection.write('cancel\n');
      if (typeof control === 'object') connection.write(`interrupt ${control.interrupt}\n`);
    };
    this.#guarded(connection, () => receiver.opened(turnId, RELAY_EPOCH, send));
    response.on('data', (chunk: Buffer) => {
      this.#guarded(connection, () => {
        if (!lines.feed(chunk, (line) => this.#readLine(line, connection))) connection.destroy();
      });
    });
    return true;
  }

  /** Runs a call of the receiver. If the receiver throws, only this relay connects again: others go on. */
  #guarded(connection: ClientRequest, run: () => void): void {
    try {
      run();
    } catch (error) {
      const { turnId } = this.#turn;
      this.#deps.log?.warn(
        { err: error, turnId },
        'the relay of a turn was cut: its events could not be taken',
      );
      connection.destroy();
    }
  }

  #readLine(line: string, connection: ClientRequest): void {
    if (line === '' || this.#isStopped) return;
    const { turnId, receiver } = this.#turn;
    const parsed = relayLineSchema.safeParse(parseJson(line)).data;
    if (parsed === undefined) connection.destroy();
    else if ('output' in parsed) receiver.output(turnId, parsed.output);
    else receiver.batch(turnId, parsed);
  }

  #retryLater(failure: unknown): void {
    if (this.#isStopped) return;
    const { clock, log } = this.#deps;
    log?.debug(
      { err: failure, turnId: this.#turn.turnId, address: this.#address?.origin },
      'the gateway that started a turn does not send its events; until it does, they are read from Temporal',
    );
    this.#cancelTimer = clock.after(this.#backoff.nextPause(), () => this.start());
  }
}
