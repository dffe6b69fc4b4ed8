import type { EventBatch } from '../../../src/contracts/wire/event-batch.ts';
import type { ToolOutput } from '../../../src/contracts/wire/tool-output.ts';
import type { LaneControl } from '../../../src/contracts/wire/live-lane.ts';
import type { TerminalEvent, TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import { TurnHub } from '../../../src/gateway/hub/turn-hub.ts';
import type { DurablePage, TurnSources } from '../../../src/gateway/hub/turn-sources.ts';
import { formatEventId, parseEventId, type EventId } from '../../../src/contracts/wire/event-id.ts';
import {
  accept,
  eventsAfter,
  packEvents,
  type LoggedEvent,
} from '../../../src/protocol/event-log/event-log.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import type { TurnViewer } from '../../../src/gateway/ports/live-turns.ts';

export const TURN = 'turn-1';

const usage = { promptTokens: 1, completionTokens: 1 };
export const done: TerminalEvent = {
  type: 'done',
  fullContent: '',
  status: 'completed',
  reason: 'answered',
  usage,
};

export const idOf = (text: string): EventId => parseEventId(text)!;

/** Returns `texts` as one batch that begins at the event id `from`. */
export const batch = (
  from: string,
  texts: readonly (string | TurnEvent)[],
  after?: string | null,
): EventBatch => ({ ...idOf(from), events: [...texts], ...(after !== undefined && { after }) });

export const loggedEvent = (id: string, event: string | TurnEvent, after?: string | null): LoggedEvent => {
  const full: TurnEvent = typeof event === 'string' ? { type: 'chunk', content: event } : event;
  return { id: idOf(id), event: full, ...(after !== undefined && { after }) };
};

/** Returns `count` chunks of the first attempt of step 1, which nothing precedes. */
export const chunks = (count: number): LoggedEvent[] =>
  Array.from({ length: count }, (_, i) =>
    loggedEvent(`101-${i + 1}`, `w${i + 1}`, i === 0 ? null : undefined),
  );

/** A viewer that records what it gets, as `<id> <text or type>`. */
export class RecordingViewer implements TurnViewer {
  readonly seen: string[] = [];
  ended = 0;
  last: EventId | null = null;

  event(id: EventId, event: TurnEvent): void {
    this.last = id;
    this.seen.push(`${formatEventId(id)} ${event.type === 'chunk' ? event.content : event.type}`);
  }

  output({ stream, content }: ToolOutput): void {
    this.seen.push(`${stream}: ${content}`);
  }

  end(): void {
    this.ended += 1;
  }
}

/** A recording viewer that lets a test wait for what it has seen. */
export class AwaitedViewer extends RecordingViewer {
  readonly #waiting = new Set<() => void>();

  override event(id: EventId, event: TurnEvent): void {
    super.event(id, event);
    for (const check of this.#waiting) check();
  }

  override output(output: ToolOutput): void {
    super.output(output);
    for (const check of this.#waiting) check();
  }

  override end(): void {
    super.end();
    for (const check of this.#waiting) check();
  }

  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!holds()) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }

  sees(count: number): Promise<void> {
    return this.until(() => this.seen.length >= count);
  }
}

type Behaviour = 'answer' | 'throw' | 'hang';

/** The workflow and the rows of one turn, `TURN`, as the hub sees them. */
export class FakeSources implements TurnSources {
  /** The events that the workflow holds. */
  readonly durableList: LoggedEvent[] = [];
  isClosed = false;
  pageSize = Infinity;
  endedList: LoggedEvent[] | undefined;
  durableIs: Behaviour = 'answer';
  endedIs: Behaviour = 'answer';
  reconcileIs: Behaviour = 'answer';
  onReconcile: () => void = () => {};
  readonly calls: string[] = [];
  inFlight = 0;
  maxInFlight = 0;
  aborted = 0;

  store(...events: LoggedEvent[]): void {
    for (const event of events) accept(this.durableList, event);
  }

  /** Closes the turn: the terminal event is stored in Postgres. */
  end(...events: LoggedEvent[]): void {
    this.endedList = events;
    this.isClosed = true;
  }

  async queryEvents(turnId: string, from: EventId | null, signal: AbortSignal): Promise<DurablePage> {
    this.calls.push(`durable ${from ? formatEventId(from) : 'null'}`);
    return this.#as(this.durableIs, signal, () => {
      if (this.isClosed || turnId !== TURN) return { batches: [], more: false, isClosed: true };
      const rest = eventsAfter(this.durableList, from);
      const batches = packEvents(rest.slice(0, this.pageSize));
      return { batches, more: rest.length > this.pageSize };
    });
  }

  async findEnded(turnId: string): Promise<{ events: LoggedEvent[] } | undefined> {
    this.calls.push('ended');
    return this.#as(this.endedIs, undefined, () =>
      this.endedList && turnId === TURN ? { events: this.endedList } : undefined,
    );
  }

  async reconcile(): Promise<void> {
    this.calls.push('reconcile');
    return this.#as(this.reconcileIs, undefined, () => this.onReconcile());
  }

  count(call: string): number {
    return this.calls.filter((name) => name.startsWith(call)).length;
  }

  async #as<T>(behaviour: Behaviour, signal: AbortSignal | undefined, answer: () => T): Promise<T> {
    this.inFlight += 1;
    this.maxInFlight = Math.max(this.maxInFlight, this.inFlight);
    signal?.addEventListener('abort', () => (this.aborted += 1));
    try {
      if (behaviour === 'throw') throw new Error('unreachable');
      if (behaviour === 'hang') await new Promise(() => {});
      return answer();
    } finally {
      this.inFlight -= 1;
    }
  }
}

export interface HubWorld {
  readonly hub: TurnHub;
  readonly sources: FakeSources;
  readonly clock: ManualClock;
  /** Connects a publisher and returns the list of what it is told. */
  connect(epoch: number): LaneControl[];
  /** Attaches a viewer that already holds `after`. */
  watch(after?: string): RecordingViewer & { detach(): void };
}

export const createWorld = (): HubWorld => {
  const sources = new FakeSources();
  const clock = new ManualClock();
  const hub = new TurnHub({ sources, clock });
  return {
    hub,
    sources,
    clock,
    connect(epoch) {
      const controls: LaneControl[] = [];
      hub.opened(TURN, epoch, (control) => controls.push(control));
      return controls;
    },
    watch(after) {
      const viewer = new RecordingViewer();
      const detach = hub.attach(TURN, after ? idOf(after) : null, viewer);
      return Object.assign(viewer, { detach });
    },
  };
};
