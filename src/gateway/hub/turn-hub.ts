import type { EventBatch } from '../../contracts/wire/event-batch.ts';
import type { ToolOutput } from '../../contracts/wire/tool-output.ts';
import type { LaneReceiver, TurnFeed } from '../../live/lane-receiver.ts';
import { compareEventIds, type EventId } from '../../contracts/wire/event-id.ts';
import { systemClock, type Clock } from '../../base/timing/clock.ts';
import type { Log } from '../../base/log.ts';
import { TurnFollower } from './turn-follower.ts';
import { TurnLanes } from './turn-lanes.ts';
import type { TurnSources } from './turn-sources.ts';
import { WatchedTurn } from './watched-turn.ts';
import type { LiveTurns, TurnViewer } from '../ports/live-turns.ts';

export interface TurnHubDeps {
  readonly sources: TurnSources;
  readonly log?: Pick<Log, 'warn' | 'debug'>;
  readonly clock?: Pick<Clock, 'now' | 'after'>;
  /**
   * Called when a lane of a turn opens, here or through a feed. For a turn that was started here, this is the first
   * sign that a worker has it.
   */
  readonly onLaneOpened?: (turnId: string) => void;
  /** Feeds of turns whose workers do not write to this gateway. Without any, such turns are read from Temporal. */
  readonly feeds?: readonly TurnFeed[];
}

interface HubEntry {
  readonly turn: WatchedTurn;
  readonly lanes: TurnLanes;
  readonly follower: TurnFollower;
  /** True when `expect` made the entry: this gateway has just started the turn. */
  readonly isStartedHere: boolean;
  /** Ends the feeds of the turn. Undefined while no feed follows it. */
  stopFeeds?: (() => void) | undefined;
}

/**
 * All turns that are watched through this gateway (docs/turns.md "Turn hub"). It is also the receiver of the live lane.
 */
export class TurnHub implements LaneReceiver, LiveTurns {
  readonly #deps: TurnHubDeps;
  readonly #entries = new Map<string, HubEntry>();
  #isClosed = false;

  constructor(deps: TurnHubDeps) {
    this.#deps = deps;
  }

  expect(turnId: string): void {
    if (this.#isClosed || this.#entries.has(turnId)) return;
    const entry = this.#createEntry(turnId, { isStartedHere: true });
    entry.follower.plan();
    this.#feed(turnId, entry);
  }

  attach(turnId: string, after: EventId | null, viewer: TurnViewer): () => void {
    if (this.#isClosed) {
      viewer.end();
      return () => {};
    }
    const entry = this.#findOrCreateEntry(turnId);
    const { turn, follower } = entry;
    const { lastId } = turn;
    if (after && (!lastId || compareEventIds(after, lastId) > 0)) follower.suspectBehind();
    const detach = turn.attach(after, viewer);
    follower.expectEvents();
    follower.plan();
    this.#feed(turnId, entry);
    return () => {
      detach();
      if (!turn.hasViewers && !entry.isStartedHere) endFeeds(entry);
      follower.viewerLeft();
      follower.plan();
    };
  }

  cancel(turnId: string): void {
    this.#entries.get(turnId)?.lanes.cancel();
    this.expectEvents(turnId);
  }

  expectEvents(turnId: string): void {
    const follower = this.#entries.get(turnId)?.follower;
    follower?.expectEvents();
    follower?.plan();
  }

  interrupt(turnId: string, step: number): void {
    this.#entries.get(turnId)?.lanes.interrupt(step);
  }

  opened(turnId: string, epoch: number, send: Parameters<LaneReceiver['opened']>[2]): void {
    this.#deps.onLaneOpened?.(turnId);
    if (this.#isClosed) return;
    const { lanes, follower } = this.#findOrCreateEntry(turnId);
    lanes.opened(epoch, send);
    follower.plan();
  }

  batch(turnId: string, batch: EventBatch): void {
    // Without an entry the turn has ended here or the hub is closed, and the writer has not noticed that yet.
    const entry = this.#entries.get(turnId);
    if (!entry) return;
    const { hasNews, hasSeenEnd } = entry.turn.addBatches([batch]);
    if (hasNews) entry.follower.noteEvents();
    if (hasSeenEnd) entry.follower.suspectEnd();
    entry.follower.plan();
  }

  output(turnId: string, output: ToolOutput): void {
    this.#entries.get(turnId)?.turn.showOutput(output);
  }

  closed(turnId: string, epoch: number): void {
    const entry = this.#entries.get(turnId);
    entry?.lanes.closed(epoch);
    entry?.follower.plan();
  }

  /** Ends every viewer and stops every feed and query. A viewer that is attached later is ended at once. */
  close(): void {
    this.#isClosed = true;
    for (const entry of this.#entries.values()) {
      entry.follower.stop();
      endFeeds(entry);
      entry.turn.endViewers();
    }
    this.#entries.clear();
  }

  /**
   * Lets the feeds follow the turn, unless they do already: a turn of this gateway as long as it has this entry, and a
   * turn of another gateway while somebody watches it here.
   */
  #feed(turnId: string, entry: HubEntry): void {
    const { feeds = [] } = this.#deps;
    const { turn, isStartedHere } = entry;
    if (entry.stopFeeds || turn.hasEnded || !(turn.hasViewers || isStartedHere)) return;
    const followed = { turnId, isStartedHere, from: () => turn.lastId };
    const stops = feeds.map((feed) => feed.follow(followed, this));
    entry.stopFeeds = () => stops.forEach((stop) => stop());
  }

  #findOrCreateEntry(turnId: string): HubEntry {
    return this.#entries.get(turnId) ?? this.#createEntry(turnId, { isStartedHere: false });
  }

  #createEntry(turnId: string, { isStartedHere }: { readonly isStartedHere: boolean }): HubEntry {
    const { sources, log, clock = systemClock } = this.#deps;
    const turn = new WatchedTurn((err) => log?.warn({ err, turnId }, 'a viewer failed and was dropped'));
    const lanes = new TurnLanes();
    const follower = new TurnFollower(
      {
        turnId,
        turn,
        lanes,
        sources,
        clock,
        onDone: () => {
          endFeeds(entry);
          this.#entries.delete(turnId);
        },
        onFailure: (err, what) => log?.debug({ err, turnId }, `cannot ${what} the turn yet; trying again`),
      },
      { isStartedHere },
    );
    const entry: HubEntry = { turn, lanes, follower, isStartedHere };
    this.#entries.set(turnId, entry);
    return entry;
  }
}

const endFeeds = (entry: HubEntry): void => {
  const { stopFeeds } = entry;
  // Cleared before the call: a feed that still reports while it stops must not be stopped again.
  entry.stopFeeds = undefined;
  stopFeeds?.();
};
