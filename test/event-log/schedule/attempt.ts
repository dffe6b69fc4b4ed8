import type { EventBatch } from '../../../src/contracts/wire/event-batch.ts';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import { packEvents, type LoggedEvent } from '../../../src/protocol/event-log/event-log.ts';
import type { EventWorld } from './event-world.ts';

export interface StepInput {
  readonly step: number;
  readonly fromSeq: number;
  readonly after: string | null;
}

/** A signal that was sent; it may be delivered at any later time, and again when its sender repeats it. */
export interface Signal {
  readonly from: Attempt;
  readonly batches: EventBatch[];
  readonly count: number;
  isDelivered: boolean;
}

/** One attempt of `callModel`, in a process that may die, freeze or lose its replies at any point. */
export class Attempt {
  state: 'waiting' | 'streaming' | 'storing' | 'returning' | 'over' = 'waiting';
  /** Whether the server has given up the attempt, whose process does not know it. */
  isZombie = false;
  /** The text that the model said in this attempt. */
  text = '';
  readonly #world: EventWorld;
  readonly #input: StepInput;
  readonly #number: number;
  readonly #scheduledAt: number;
  #chunksLeft: number;
  #epoch = 0;
  #nextSeq: number;
  #hasBegun = false;
  readonly #written: LoggedEvent[] = [];
  #unacknowledged: LoggedEvent[] = [];
  #flight: Signal | undefined;
  #tail: EventBatch[] = [];

  constructor(world: EventWorld, input: StepInput, number: number) {
    this.#world = world;
    this.#input = input;
    this.#number = number;
    this.#scheduledAt = world.tick();
    this.#chunksLeft = 1 + world.random.below(4);
    this.#nextSeq = input.fromSeq;
  }

  act(): void {
    const { random, isFaulty } = this.#world;
    if (isFaulty && random.chance(0.04)) {
      this.#world.count('attempts crashed');
      this.state = 'over';
      return;
    }
    switch (this.state) {
      case 'waiting':
        return this.#claim();
      case 'streaming':
        return this.#stream();
      case 'storing':
        return this.#store();
      case 'returning':
        this.state = 'over';
        if (this.isZombie) this.#world.count('results of zombies');
        return this.#world.workflow.takeResult(this, this.#tail);
      case 'over':
        return;
      default:
        return this.state satisfies never;
    }
  }

  #claim(): void {
    const { random, database, isFaulty, rules } = this.#world;
    const claim = database.claim(this.#input.step, this.#number, this.#scheduledAt);
    if (claim === 'ended' || claim === 'superseded') {
      this.#world.count(`claims refused: ${claim}`);
      this.state = 'over';
      if (claim === 'ended') this.#world.workflow.fence(this);
      return;
    }
    // The reply is lost, so the client asks again.
    if (isFaulty && random.chance(0.05)) return;
    this.#epoch = claim.epoch;
    this.state = 'streaming';
    if (claim.isLater && rules.resetOnRetry) this.#reset();
  }

  #reset(): void {
    this.#world.count('resets of attempts');
    this.#nextSeq = this.#input.fromSeq - 1;
    const reset: TurnEvent = { type: 'reset', fromSeq: this.#input.fromSeq };
    this.#emit(reset, this.#world.rules.resetStored);
  }

  #emit(event: TurnEvent, isDurable = true): void {
    const id = { epoch: this.#epoch, seq: this.#nextSeq };
    const stored: LoggedEvent = this.#hasBegun ? { id, event } : { id, after: this.#input.after, event };
    this.#hasBegun = true;
    this.#nextSeq += 1;
    this.#world.publish(packEvents([stored]));
    if (!isDurable) return;
    this.#written.push(stored);
    this.#unacknowledged.push(stored);
  }

  #stream(): void {
    this.#exchange();
    if (this.#chunksLeft === 0) {
      this.#finish();
      return;
    }
    if (this.#world.random.chance(0.3)) return;
    this.#chunksLeft -= 1;
    const content = this.#world.word();
    this.text += content;
    this.#emit({ type: 'chunk', content });
  }

  #exchange(): void {
    const { random, rules } = this.#world;
    const flight = this.#flight;
    if (flight?.isDelivered && random.chance(0.6)) {
      this.#unacknowledged.splice(0, flight.count);
      this.#flight = undefined;
    } else if (flight) {
      if (random.chance(0.3)) this.#world.send(flight);
    } else if (this.#unacknowledged.length > 0 && random.chance(0.5)) {
      const signal = {
        from: this,
        batches: packEvents(this.#unacknowledged),
        count: this.#unacknowledged.length,
      };
      this.#world.send((this.#flight = { ...signal, isDelivered: false }));
      if (rules.oneFlight) return;
      this.#flight = undefined;
      this.#unacknowledged = [];
    }
  }

  #finish(): void {
    this.#tail = this.#world.rules.tailInResult ? packEvents(this.#unacknowledged) : [];
    this.state = 'storing';
  }

  #store(): void {
    const { database, rules, random } = this.#world;
    const segment = packEvents(this.#written);
    const store = (): void => {
      if (segment.length > 0) database.put(this.#epoch, segment);
    };
    if (rules.segmentFirst) store();
    else if (random.chance(0.7)) this.#world.later(store);
    this.state = 'returning';
  }
}
