import type { EventBatch } from '../../contracts/wire/event-batch.ts';
import type { LaneSink } from '../../live/lane.ts';
import { compareEventIds, type EventId } from '../../protocol/event-log/event-id.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import { TurnFollower } from './turn-follower.ts';
import { TurnLanes } from './turn-lanes.ts';
import type { TurnSources } from './hub-sources.ts';
import { WatchedTurn } from './watched-turn.ts';
import type { TurnEvents, TurnViewer } from '../ports/turns.ts';

export type { TurnSources } from './hub-sources.ts';

/** The part of a pino logger that the hub uses. */
export interface HubLog {
  warn(details: object, message: string): void;
  debug(details: object, message: string): void;
}

export interface TurnHubDeps {
  readonly sources: TurnSources;
  readonly log?: HubLog;
  readonly clock?: Pick<Clock, 'now' | 'after'>;
}

/** All turns that are watched through this gateway (docs/turns.md "Turn hub"); also the reading end of the live lane. */
export interface TurnHub extends LaneSink, TurnEvents {
  /** Ends every viewer, now and from now on. */
  close(): void;
}

interface Entry {
  readonly turn: WatchedTurn;
  readonly lanes: TurnLanes;
  readonly follower: TurnFollower;
}

export function createTurnHub(deps: TurnHubDeps): TurnHub {
  return new Hub(deps);
}

class Hub implements TurnHub {
  readonly #deps: TurnHubDeps;
  readonly #entries = new Map<string, Entry>();
  #closed = false;

  constructor(deps: TurnHubDeps) {
    this.#deps = deps;
  }

  expect(turnId: string): void {
    if (!this.#closed && !this.#entries.has(turnId)) this.#create(turnId, true).follower.plan();
  }

  attach(turnId: string, after: EventId | null, viewer: TurnViewer): () => void {
    if (this.#closed) {
      viewer.end();
      return () => {};
    }
    const { turn, follower } = this.#entry(turnId);
    const { lastId } = turn;
    if (after && (!lastId || compareEventIds(after, lastId) > 0)) follower.suspectBehind();
    const detach = turn.attach(after, viewer);
    follower.plan();
    return () => {
      detach();
      follower.left();
      follower.plan();
    };
  }

  cancel(turnId: string): void {
    this.#entries.get(turnId)?.lanes.cancel();
  }

  opened(turnId: string, epoch: number, send: Parameters<LaneSink['opened']>[2]): void {
    if (this.#closed) return;
    const { lanes, follower } = this.#entry(turnId);
    lanes.opened(epoch, send);
    follower.plan();
  }

  batch(turnId: string, batch: EventBatch): void {
    // Without an entry the turn has ended here, and its writer is a straggler.
    const entry = this.#entries.get(turnId);
    if (!entry) return;
    const { news, committed } = entry.turn.take([batch]);
    if (news) entry.follower.heard();
    if (committed) entry.follower.suspectEnd();
    entry.follower.plan();
  }

  closed(turnId: string, epoch: number): void {
    const entry = this.#entries.get(turnId);
    entry?.lanes.closed(epoch);
    entry?.follower.plan();
  }

  close(): void {
    this.#closed = true;
    for (const { turn, follower } of this.#entries.values()) {
      follower.stop();
      turn.abandon();
    }
    this.#entries.clear();
  }

  #entry(turnId: string): Entry {
    return this.#entries.get(turnId) ?? this.#create(turnId, false);
  }

  #create(turnId: string, known: boolean): Entry {
    const { sources, log, clock = systemClock } = this.#deps;
    const turn = new WatchedTurn((err) => log?.warn({ err, turnId }, 'A viewer failed and was dropped'));
    const lanes = new TurnLanes();
    const follower = new TurnFollower(
      {
        turnId,
        turn,
        lanes,
        sources,
        clock,
        onOver: () => this.#entries.delete(turnId),
        onFailure: (err, what) => log?.debug({ err, turnId }, `Cannot ${what} the turn yet; trying again`),
      },
      known,
    );
    const entry = { turn, lanes, follower };
    this.#entries.set(turnId, entry);
    return entry;
  }
}
