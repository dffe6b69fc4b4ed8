import type { EventBatch } from '../../../src/contracts/wire/event-batch.ts';
import { type TurnEvent, isTerminal } from '../../../src/contracts/wire/turn-event.ts';
import { compareEventIds, type EventId } from '../../../src/contracts/wire/event-id.ts';
import { accept, fullContentOf, type LoggedEvent } from '../../../src/protocol/event-log/event-log.ts';
import type { Signal } from './attempt.ts';
import { ModelDatabase, type Close } from './database.ts';
import type { Parts } from './parts.ts';
import { Random } from '../../support/random.ts';
import { Gateway, ModelViewer } from './readers.ts';
import type { Rules } from './rules.ts';
import { Workflow } from './workflow.ts';

const GATEWAYS = 2;
const VIEWERS = 3;
/** Far more rounds than a turn without faults needs. */
const MAX_CALM_ROUNDS = 300;

/**
 * Runs one turn from its start to its end under one random schedule: first faults of every kind in any order, then
 * calm, in which everything must come to its end, and then the checks.
 */
export class EventWorld {
  readonly random: Random;
  readonly rules: Rules;
  readonly parts: Parts;
  readonly database: ModelDatabase;
  readonly workflow: Workflow;
  readonly lane: EventBatch[] = [];
  readonly violations = new Set<string>();
  isFaulty = true;
  readonly #statistics: Map<string, number>;
  readonly #signals: Signal[] = [];
  readonly #late: (() => void)[] = [];
  readonly #gateways: Gateway[];
  readonly #viewers: ModelViewer[];
  readonly #bytes = new Map<number, string>();
  #time = 0;
  #words = 0;
  #outside: Close | undefined;

  constructor(seed: number, rules: Rules, parts: Parts, statistics = new Map<string, number>()) {
    this.random = new Random(seed);
    this.rules = rules;
    this.parts = parts;
    this.#statistics = statistics;
    this.database = new ModelDatabase(rules, parts);
    this.workflow = new Workflow(this);
    this.#gateways = Array.from({ length: GATEWAYS }, () => new Gateway(this));
    this.#viewers = Array.from({ length: VIEWERS }, () => new ModelViewer(this));
  }

  /** Runs the schedule and returns the names of the invariants that it broke. */
  run(): string[] {
    for (let left = 40 + this.random.below(80); left > 0; left -= 1) this.#act();
    this.isFaulty = false;
    this.#calmDown();
    this.#check();
    return [...this.violations];
  }

  tick(): number {
    return (this.#time += 1);
  }

  /** Returns a text that is different every time, so that whatever is lost, doubled or spliced shows. */
  word(): string {
    return `w${(this.#words += 1)} `;
  }

  /** Returns up to two events that the workflow writes between steps. */
  ownEvents(): TurnEvent[] {
    return Array.from({ length: this.random.below(3) }, () =>
      this.random.chance(0.5)
        ? { type: 'phase', phase: 'action', index: (this.#words += 1), cycle: 0 }
        : { type: 'chunk', content: this.word(), notice: 'duplicate' },
    );
  }

  publish(batches: readonly EventBatch[]): void {
    this.lane.push(...batches);
  }

  send(signal: Signal): void {
    this.#signals.push(signal);
  }

  later(run: () => void): void {
    this.#late.push(run);
  }

  count(what: string): void {
    this.#statistics.set(what, (this.#statistics.get(what) ?? 0) + 1);
  }

  violation(what: string): void {
    this.violations.add(what);
  }

  /** Records that a viewer got an event. */
  see(id: EventId, event: TurnEvent): void {
    const key = id.epoch * 1_000 + id.seq;
    const content = bytesOf(event);
    const known = this.#bytes.get(key);
    if (known === undefined) this.#bytes.set(key, content);
    else if (known !== content) this.violation('same id, same bytes');
  }

  #act(): void {
    const { random, workflow } = this;
    const die = random.below(1_000);
    if (die < 130) workflow.act();
    else if (die < 430) random.pick(workflow.attempts.filter(({ state }) => state !== 'over'))?.act();
    else if (die < 480) random.pick(workflow.closers.filter(({ isOver }) => !isOver))?.act();
    else if (die < 580) this.#deliverSignal();
    else if (die < 600) workflow.timeOut();
    else if (die < 603) workflow.terminate();
    else if (die < 606) workflow.resetByHand();
    else if (die < 616) this.#sweep();
    else if (die < 626) this.#late.splice(0, 1)[0]?.();
    else if (die < 880) this.#actOf(random.pick(this.#gateways)!, die);
    else this.#actOfViewer(random.pick(this.#viewers)!);
  }

  #actOf(gateway: Gateway, die: number): void {
    if (die < 780) gateway.hearLane();
    else if (die < 855) gateway.query();
    else if (die < 872) gateway.askStore();
    else gateway.restart();
  }

  #actOfViewer(viewer: ModelViewer): void {
    const { random } = this;
    if (!viewer.isAttached) {
      if (random.chance(0.2)) viewer.forget();
      viewer.attach(random.pick(this.#gateways)!);
    } else if (random.chance(0.3)) {
      viewer.detach();
    }
  }

  #deliverSignal(): void {
    const at = this.random.below(this.#signals.length);
    const signal = this.#signals[at];
    if (!signal) return;
    if (!this.isFaulty || this.random.chance(0.7)) this.#signals.splice(at, 1);
    if (!this.workflow.isRunning) {
      // The server answers "workflow not found", and the sender stops quietly.
      signal.from.state = 'over';
      return;
    }
    if (signal.isDelivered) this.count('signals repeated');
    signal.isDelivered = true;
    this.workflow.takeSignal(signal.batches);
  }

  /** Closes a row whose workflow is gone; what it found may be outdated when it stores the end. */
  #sweep(): void {
    if (this.#outside) {
      if (!this.database.terminal) this.count('outside closes');
      this.database.close(this.#outside);
      this.#outside = undefined;
    } else if (!this.workflow.isRunning && !this.database.terminal) {
      const answered = this.random.chance(0.8) ? this.workflow.log.page(null).batches : [];
      this.#outside = { ...this.parts.outsideClose(answered), isOutside: true };
    }
  }

  #calmDown(): void {
    for (let round = 0; round < MAX_CALM_ROUNDS; round += 1) {
      while (this.#signals.length > 0) this.#deliverSignal();
      for (const attempt of this.workflow.attempts) attempt.act();
      if (this.workflow.isStuck) this.workflow.timeOut();
      this.#catchUpBeforeTheEnd();
      this.workflow.act();
      for (const closer of this.workflow.closers) if (!closer.isOver) closer.act();
      for (const run of this.#late.splice(0)) run();
      this.#sweep();
      if (this.#isQuiet()) return;
    }
    this.violation('every turn ends');
  }

  #catchUpBeforeTheEnd(): void {
    if (this.workflow.state !== 'closing' || this.database.terminal) return;
    for (const gateway of this.#gateways) gateway.catchUp();
  }

  #isQuiet(): boolean {
    const { workflow, database } = this;
    return (
      !workflow.isRunning &&
      database.terminal !== undefined &&
      workflow.attempts.every(({ state }) => state === 'over') &&
      workflow.closers.every(({ isOver }) => isOver)
    );
  }

  #check(): void {
    const list = this.database.endedList();
    if (!list) return;
    this.#checkStored(list);
    this.#viewers.push(new ModelViewer(this));
    const stored = list.filter(({ event }) => event.type !== 'reset');
    for (const viewer of this.#viewers) {
      this.#bringToTheEnd(viewer);
      if (viewer.record.filter(({ event }) => isTerminal(event)).length !== 1) {
        this.violation('exactly one terminal event');
      }
      if (!haveSameIds(viewer.shown(), stored)) {
        this.violation('every viewer holds the stored sequence after resets');
      }
    }
  }

  #bringToTheEnd(viewer: ModelViewer): void {
    const last = viewer.record.at(-1);
    if (last && isTerminal(last.event)) return;
    const gateway = this.random.pick(this.#gateways)!;
    if (!viewer.isAttached) viewer.attach(gateway);
    for (const each of this.#gateways) each.askStore();
  }

  #checkStored(list: readonly LoggedEvent[]): void {
    const again: LoggedEvent[] = [];
    for (const [index, event] of list.entries()) {
      const before = list[index - 1];
      if (before && compareEventIds(event.id, before.id) <= 0) this.violation('the stored list is in order');
      if (accept(again, event) !== 'accepted') this.violation(`the stored list is one that accept takes`);
      this.see(event.id, event.event);
    }
    const terminal = list.at(-1)!.event;
    const content = fullContentOf(list);
    if (terminal.type !== 'done') return;
    this.count('closed by the workflow');
    if (terminal.fullContent !== content) this.violation('fullContent is the concatenation');
    if (content !== this.workflow.said.join('')) {
      this.violation('what the surviving attempts said is complete');
    }
  }
}

/**
 * Reports whether two lists have the same ids. That is enough, because `see` compares the events under an id wherever
 * one is seen.
 */
const haveSameIds = (a: readonly LoggedEvent[], b: readonly LoggedEvent[]): boolean =>
  a.length === b.length && a.every(({ id }, index) => compareEventIds(id, b[index]!.id) === 0);

const bytesOf = (event: TurnEvent): string =>
  event.type === 'chunk' ? event.content : JSON.stringify(event);
