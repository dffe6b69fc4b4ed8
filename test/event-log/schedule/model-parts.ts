import type { EventBatch } from '../../../src/contracts/wire/event-batch.ts';
import { type TurnEvent, isTerminal } from '../../../src/contracts/wire/turn-event.ts';
import {
  compareEventIds,
  formatEventId,
  OUTSIDE_EPOCH,
  workflowEpoch,
  type EventId,
} from '../../../src/contracts/wire/event-id.ts';
import {
  eventsAfter,
  expandBatch,
  packEvents,
  type LoggedEvent,
} from '../../../src/protocol/event-log/event-log.ts';
import type { Hub, OutsideEvents, Parts, WorkflowLog } from './parts.ts';
import type { Rules } from './rules.ts';
import type { TurnViewer } from '../../../src/gateway/ports/live-turns.ts';

type Accept = (list: LoggedEvent[], event: LoggedEvent) => 'accepted' | 'stale' | 'gap';

/**
 * Returns the function `accept` of docs/events.md, implemented a second time and as simply as possible, with rules that
 * can be left out.
 */
export const modelAccept =
  (rules: Rules): Accept =>
  (list, event) => {
    const last = list.at(-1);
    const { epoch, seq } = event.id;
    if (rules.repeatsIgnored && last && compareEventIds(event.id, last.id) <= 0) return 'stale';
    if (last && epoch === last.id.epoch) {
      if (rules.gapsAsked && seq !== last.id.seq + 1) return 'gap';
      list.push(event);
      return 'accepted';
    }
    if (rules.afterNamed && event.after === undefined) return 'gap';
    let keep = event.after ? 1 + list.findIndex(({ id }) => formatEventId(id) === event.after) : 0;
    if (event.after && keep === 0 && rules.afterNamed) return 'gap';
    if (!rules.afterNamed) keep = list.length;
    if (event.event.type !== 'reset' && keep !== list.length) return 'gap';
    if (rules.withdrawnLeave) list.length = keep;
    list.push(event);
    return 'accepted';
  };

/** The workflow's list, with rules that can be left out. */
class ModelLog implements WorkflowLog {
  readonly #rules: Rules;
  readonly #accept: Accept;
  readonly #list: LoggedEvent[] = [];
  readonly #own: LoggedEvent[] = [];
  #handedOut = 0;
  #step = { step: 0, fromSeq: 1, after: null as string | null };

  constructor(rules: Rules) {
    this.#rules = rules;
    this.#accept = modelAccept(rules);
  }

  append(event: TurnEvent): void {
    this.#write({ ...this.#next(), event });
  }

  apply(batches: readonly EventBatch[]): void {
    for (const event of batches.flatMap(expandBatch)) this.#accept(this.#list, event);
  }

  beginStep() {
    const last = this.#list.at(-1);
    const fromSeq = this.#rules.seqOverWholeTurn ? (last?.id.seq ?? 0) + 1 : 1;
    this.#step = { step: this.#step.step + 1, fromSeq, after: last ? formatEventId(last.id) : null };
    return this.#step;
  }

  stepEvents(): TurnEvent[] {
    const { fromSeq, after } = this.#step;
    const start = this.#list.findIndex(({ id }) => formatEventId(id) === after) + 1;
    const held = this.#list
      .slice(start)
      .filter(({ id, event }) => id.seq >= fromSeq && event.type !== 'reset');
    return held.map(({ event }) => event);
  }

  endLostStep(): void {
    if (!this.#rules.resetAfterLoss) return;
    const { fromSeq, after } = this.#step;
    const held = this.#rules.copyAfterLoss ? this.stepEvents() : [];
    const epoch = this.#ownEpoch();
    this.#write({ id: { epoch, seq: fromSeq - 1 }, after, event: { type: 'reset', fromSeq } });
    held.forEach((event, i) => this.#write({ id: { epoch, seq: fromSeq + i }, event }));
  }

  takePrelude(): EventBatch[] {
    const fresh = this.#own.slice(this.#handedOut);
    this.#handedOut = this.#own.length;
    return packEvents(fresh);
  }

  ownEvents(): EventBatch[] {
    return packEvents(this.#own);
  }

  terminalPosition() {
    const last = this.#list.at(-1);
    const { id } = this.#next();
    return { terminalId: formatEventId(id), terminalAfter: last ? formatEventId(last.id) : null };
  }

  page(after: EventId | null) {
    return { batches: packEvents(eventsAfter(this.#list, after)) };
  }

  #ownEpoch(): number {
    const { step } = this.#step;
    return this.#rules.epochOfWorkflow || step === 0
      ? workflowEpoch(step)
      : (this.#list.at(-1)?.id.epoch ?? 0);
  }

  #next(): Pick<LoggedEvent, 'id' | 'after'> {
    const last = this.#list.at(-1);
    const epoch = this.#ownEpoch();
    const id = { epoch, seq: (last?.id.seq ?? 0) + 1 };
    return last?.id.epoch === epoch ? { id } : { id, after: last ? formatEventId(last.id) : null };
  }

  #write(stored: LoggedEvent): void {
    this.#accept(this.#list, stored);
    this.#own.push(stored);
  }
}

/** A gateway's list exactly as docs/events.md describes it: what cannot be accepted is dropped. */
class ModelHub implements Hub {
  hasEnded = false;
  readonly #accept: Accept;
  readonly #list: LoggedEvent[] = [];
  readonly #viewers = new Map<TurnViewer, EventId | null>();

  constructor(rules: Rules) {
    this.#accept = modelAccept(rules);
  }

  get lastId(): EventId | null {
    return this.#list.at(-1)?.id ?? null;
  }

  addBatches(batches: readonly EventBatch[]) {
    let hasSeenEnd = false;
    for (const event of batches.flatMap(expandBatch)) {
      if (this.hasEnded) break;
      const verdict = this.#accept(this.#list, event);
      if (verdict === 'accepted') this.hasEnded = isTerminal(event.event);
      else hasSeenEnd ||= verdict === 'gap' && isTerminal(event.event);
      this.#deliver();
    }
    return { hasSeenEnd };
  }

  finish(events: readonly LoggedEvent[]): void {
    this.#list.splice(0, this.#list.length, ...events);
    this.hasEnded = true;
    this.#deliver();
  }

  attach(after: EventId | null, viewer: TurnViewer): () => void {
    this.#viewers.set(viewer, after);
    this.#deliver();
    return () => this.#viewers.delete(viewer);
  }

  endViewers(): void {
    for (const viewer of this.#viewers.keys()) viewer.end();
    this.#viewers.clear();
  }

  #deliver(): void {
    for (const [viewer, held] of this.#viewers) {
      for (const { id, event } of eventsAfter(this.#list, held)) {
        this.#viewers.set(viewer, id);
        viewer.event(id, event);
      }
    }
    if (this.hasEnded) this.endViewers();
  }
}

export const modelParts = (rules: Rules): Parts => {
  const accept = modelAccept(rules);
  const merge = (batches: readonly EventBatch[]): LoggedEvent[] => {
    const list: LoggedEvent[] = [];
    const events = batches.flatMap(expandBatch).sort((a, b) => compareEventIds(a.id, b.id));
    for (const event of events) {
      if (rules.allSegments) accept(list, event);
      else list.push(event);
    }
    return list;
  };
  return {
    createLog: () => new ModelLog(rules),
    createHub: () => new ModelHub(rules),
    merge,
    outsideClose: (durable) => outsideClose(rules, merge(durable)),
  };
};

const outsideClose = (rules: Rules, durable: readonly LoggedEvent[]): OutsideEvents => {
  const kept = durable.map(({ event }) => event).filter(({ type }) => type !== 'reset');
  const last = durable.at(-1)?.id ?? { epoch: 0, seq: 0 };
  const follows = last.seq === 0 ? null : formatEventId(last);
  if (!rules.outsideReset) {
    return {
      ownEvents: [],
      terminalId: formatEventId({ epoch: OUTSIDE_EPOCH, seq: last.seq + 1 }),
      terminalAfter: follows,
    };
  }
  const epoch = rules.outsideEpoch ? OUTSIDE_EPOCH : last.epoch + 1;
  const reset: LoggedEvent = { id: { epoch, seq: 0 }, after: null, event: { type: 'reset', fromSeq: 1 } };
  const list = [reset, ...kept.map((event, index) => ({ id: { epoch, seq: index + 1 }, event }))];
  return {
    ownEvents: packEvents(list),
    terminalId: formatEventId({ epoch, seq: list.length }),
    terminalAfter: formatEventId({ epoch, seq: list.length - 1 }),
  };
};
