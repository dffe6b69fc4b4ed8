import type { EventBatch } from '../../../src/contracts/wire/event-batch.ts';
import { type TurnEvent, isTerminal } from '../../../src/contracts/wire/turn-event.ts';
import { compareEventIds, type EventId } from '../../../src/contracts/wire/event-id.ts';
import { expandBatch, packEvents, type LoggedEvent } from '../../../src/protocol/event-log/event-log.ts';
import type { Hub } from './parts.ts';
import type { EventWorld } from './event-world.ts';
import type { TurnViewer } from '../../../src/gateway/ports/live-turns.ts';

/** A client that records what it gets and may come back from any id that it holds. */
export class ModelViewer implements TurnViewer {
  record: LoggedEvent[] = [];
  #detach: (() => void) | undefined;
  readonly #world: EventWorld;

  constructor(world: EventWorld) {
    this.#world = world;
  }

  get isAttached(): boolean {
    return this.#detach !== undefined;
  }

  event(id: EventId, event: TurnEvent): void {
    const last = this.record.at(-1);
    if (last && compareEventIds(id, last.id) <= 0) this.#world.violation('ids increase for every viewer');
    if (last && isTerminal(last.event)) this.#world.violation('nothing follows the terminal event');
    this.#world.see(id, event);
    this.record.push({ id, event });
  }

  end(): void {
    this.#detach = undefined;
  }

  attach(gateway: Gateway): void {
    // `end` may be called before `attach` returns.
    let ended = false;
    const viewer: TurnViewer = {
      event: (id, event) => this.event(id, event),
      end: () => {
        ended = true;
        this.end();
      },
    };
    const detach = gateway.hub.attach(this.record.at(-1)?.id ?? null, viewer);
    this.#detach = ended ? undefined : detach;
  }

  detach(): void {
    this.#detach?.();
    this.#detach = undefined;
  }

  /** Comes back as a client that has lost what it held after an earlier event. */
  forget(): void {
    if (this.record.length > 0) this.record.length = this.#world.random.below(this.record.length + 1);
  }

  /** Returns what the client shows: a reset withdraws every earlier event with a seq from `fromSeq` on. */
  shown(): LoggedEvent[] {
    let shown: LoggedEvent[] = [];
    for (const stored of this.record) {
      const { event } = stored;
      if (event.type === 'reset') shown = shown.filter(({ id }) => id.seq < event.fromSeq);
      else shown.push(stored);
    }
    return shown;
  }
}

/** A gateway process: it loses its hub whenever it restarts, and gets the lane in any order and with losses. */
export class Gateway {
  hub: Hub;
  readonly #world: EventWorld;
  #laneRead = 0;
  #page: EventBatch[] | undefined;

  constructor(world: EventWorld) {
    this.#world = world;
    this.hub = world.parts.createHub();
  }

  restart(): void {
    this.#world.count('gateway restarts');
    this.hub.endViewers();
    this.#renew();
  }

  hearLane(): void {
    const { lane, random } = this.#world;
    const how = random.next();
    let batch: EventBatch | undefined;
    if (how < 0.75) batch = lane[this.#laneRead++];
    else if (how < 0.88) this.#laneRead += 1;
    else batch = random.pick(lane);
    this.#laneRead = Math.min(this.#laneRead, lane.length);
    if (batch && this.hub.addBatches([batch]).hasSeenEnd) this.askStore();
    this.#evictEnded();
  }

  /**
   * Asks the workflow for a page of events or, if that was done before, takes the page. Between the two the workflow
   * may have moved on, and a page may lack the end of the list.
   */
  query(): void {
    const { random, workflow } = this.#world;
    if (this.#page === undefined) {
      const events = workflow.page(this.hub.lastId).flatMap(expandBatch);
      this.#page = packEvents(events.slice(0, 1 + random.below(12)));
      return;
    }
    if (random.chance(0.85)) this.hub.addBatches(this.#page);
    this.#page = undefined;
    this.#evictEnded();
  }

  askStore(): void {
    const list = this.#world.database.endedList();
    if (list) this.hub.finish(list);
    this.#evictEnded();
  }

  /** Brings the hub up to the workflow without losses: afterwards both must agree. */
  catchUp(): void {
    if (this.hub.hasEnded) return;
    const whole = this.#world.workflow.page(null).flatMap(expandBatch);
    this.hub.addBatches(this.#world.workflow.page(this.hub.lastId));
    if (this.hub.hasEnded) return this.#renew();
    const [held, last] = [this.hub.lastId, whole.at(-1)?.id];
    if (last && (!held || compareEventIds(held, last) !== 0)) {
      this.#world.violation('a gateway that asks gets as far as the workflow');
    }
  }

  #evictEnded(): void {
    if (this.hub.hasEnded) this.#renew();
  }

  #renew(): void {
    this.hub = this.#world.parts.createHub();
    this.#page = undefined;
  }
}
