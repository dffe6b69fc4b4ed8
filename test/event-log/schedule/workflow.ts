import type { EventBatch } from '../../../src/contracts/wire/event-batch.ts';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import type { EventId } from '../../../src/contracts/wire/event-id.ts';
import { packEvents } from '../../../src/protocol/event-log/event-log.ts';
import { Attempt, type StepInput } from './attempt.ts';
import { Closer } from './closer.ts';
import type { WorkflowLog } from './parts.ts';
import type { EventWorld } from './event-world.ts';

const MAX_ATTEMPTS = 4;

interface Mark {
  readonly operations: number;
  readonly steps: number;
}

/** The turn's workflow together with the Temporal server that schedules its activities. */
export class Workflow {
  state: 'between' | 'step' | 'closing' | 'returned' | 'terminated' | 'superseded' = 'between';
  readonly attempts: Attempt[] = [];
  readonly closers: Closer[] = [];
  /** The text of each step that has ended; all of these texts must be there in the end. */
  readonly said: string[] = [];
  log: WorkflowLog;
  readonly #world: EventWorld;
  readonly #steps: number;
  /** What the run did to its log, so that a reset by hand can replay a part of it. */
  #operations: ((log: WorkflowLog) => void)[] = [];
  #marks: Mark[] = [];
  #step: StepInput | undefined;
  #current: Attempt | undefined;
  #attempted = 0;
  #number = 0;
  #closer: Closer | undefined;

  constructor(world: EventWorld) {
    this.#world = world;
    this.log = world.parts.createLog();
    this.#steps = 1 + world.random.below(3);
  }

  get isRunning(): boolean {
    return this.state === 'between' || this.state === 'step' || this.state === 'closing';
  }

  /** Runs one workflow task if there is something to do. */
  act(): void {
    if (this.state === 'between') this.#goOn();
    else if (this.state === 'closing') this.#close();
  }

  /** Plays that the server gives up the running attempt, or that an operator resets it. */
  timeOut(): void {
    if (this.state !== 'step' || !this.#current) return;
    this.#current.isZombie = true;
    const { random } = this.#world;
    if (this.#attempted >= MAX_ATTEMPTS || random.chance(0.2)) this.#lose();
    else this.#schedule(random.chance(0.25) ? 1 : this.#number + 1);
  }

  /** Whether the running attempt is dead, which only the server can tell. */
  get isStuck(): boolean {
    return this.state === 'step' && this.#current?.state === 'over';
  }

  takeResult(attempt: Attempt, tail: readonly EventBatch[]): void {
    if (this.state !== 'step' || attempt !== this.#current) return;
    this.#do((log) => log.apply(tail));
    this.#endStep(attempt.text);
  }

  takeSignal(batches: readonly EventBatch[]): void {
    this.#do((log) => log.apply(batches));
  }

  closed(closer: Closer): void {
    if (this.state === 'closing' && closer === this.#closer) this.state = 'returned';
  }

  /** Fails the run, because the activity found the row closed. */
  fence(attempt: Attempt): void {
    if (attempt === this.#current && this.isRunning) this.state = 'terminated';
  }

  /** Terminates the workflow, as the Web UI or its execution timeout does. */
  terminate(): void {
    if (!this.isRunning) return;
    this.#world.count('terminations');
    this.state = 'terminated';
  }

  /**
   * Resets the workflow, as an operator does in the Web UI: this run ends, and another one replays a part of its
   * history.
   */
  resetByHand(): void {
    if (!this.isRunning || this.#marks.length === 0) return;
    this.#world.count('runs reset by hand');
    if (this.#world.rules.oneRun) {
      this.state = 'superseded';
      return;
    }
    const mark = this.#world.random.pick(this.#marks)!;
    this.#marks = this.#marks.filter(({ operations }) => operations <= mark.operations);
    this.#operations.length = mark.operations;
    this.said.length = mark.steps;
    this.log = this.#world.parts.createLog();
    for (const operation of this.#operations) operation(this.log);
    this.#current = undefined;
    this.state = 'between';
  }

  /** Answers the query `eventsSince`. A run that a reset has started answers nothing. */
  page(after: EventId | null): EventBatch[] {
    if (this.state === 'superseded') return [];
    const { batches } = this.log.page(after);
    if (this.#world.rules.terminalHidden || this.state !== 'closing') return batches;
    return [...batches, ...packEvents([this.#world.database.terminalOf(this.#closeInput())])];
  }

  #do(operation: (log: WorkflowLog) => void): void {
    this.#operations.push(operation);
    operation(this.log);
  }

  #goOn(): void {
    this.#marks.push({ operations: this.#operations.length, steps: this.said.length });
    this.#do(appendAll(this.#world.ownEvents()));
    if (this.said.length >= this.#steps) this.state = 'closing';
    else this.#beginStep();
    this.#world.publish(this.log.takePrelude());
  }

  #beginStep(): void {
    this.#do((log) => (this.#step = log.beginStep()));
    this.#attempted = 0;
    this.state = 'step';
    this.#schedule(1);
  }

  #schedule(number: number): void {
    this.#number = number;
    this.#attempted += 1;
    this.#current = new Attempt(this.#world, this.#inputOfAttempt(), number);
    this.attempts.push(this.#current);
  }

  #inputOfAttempt(): StepInput {
    const input = this.#step!;
    if (this.#world.rules.afterShared) return input;
    return { ...input, after: this.log.terminalPosition().terminalAfter };
  }

  #lose(): void {
    this.#world.count('steps without a result');
    const held = this.log.stepEvents().map((event) => (event.type === 'chunk' ? event.content : ''));
    this.#do((log) => log.endLostStep());
    this.#endStep(held.join(''));
  }

  #endStep(text: string): void {
    this.said.push(text);
    this.#current = undefined;
    this.state = 'between';
  }

  #close(): void {
    if (this.#closer && !this.#closer.isOver) {
      if (!this.#world.isFaulty || !this.#world.random.chance(0.2)) return;
    }
    this.#closer = new Closer(this.#world, this, this.#closeInput());
    this.closers.push(this.#closer);
  }

  #closeInput() {
    return { ...this.log.terminalPosition(), ownEvents: this.log.ownEvents(), isOutside: false };
  }
}

const appendAll =
  (events: readonly TurnEvent[]): ((log: WorkflowLog) => void) =>
  (log) => {
    for (const event of events) log.append(event);
  };
