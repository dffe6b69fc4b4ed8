import { ApplicationFailure, log as workflowLog, setHandler, workflowInfo } from '@temporalio/workflow';
import {
  type SteerReceipt,
  type SteerRefusal,
  type SteerRequest,
  steerRequestSchema,
} from '../../src/contracts/inputs/steering.ts';
import { isoTime } from '../../src/contracts/values/iso-time.ts';
import { SteerQueue } from '../../src/protocol/inputs/steer-queue.ts';
import { pendingSteersQuery, steerSignal, steerUpdate } from '../../src/temporal/turn-messages.ts';
import type { InterruptibleWork, Steering } from './turn-run.ts';
import { refuseResetRun } from './superseded-run.ts';

/** The messages of users into the turn: accepted here, judged by the queue, read by the core. */
export class TurnSteering implements Steering {
  readonly queue = new SteerQueue();
  #running: InterruptibleWork | undefined;

  async during<T>(running: InterruptibleWork, work: () => Promise<T>): Promise<T> {
    this.#running = running;
    try {
      return await work();
    } finally {
      this.#running = undefined;
    }
  }

  /**
   * Handles a message that came by update or signal. Returns its id and the number of the model call that is
   * interrupted, null if none is. An interrupt is repeated as long as any message with `now` waits. Throws
   * ApplicationFailure if the message does not count.
   */
  steer(request: SteerRequest): SteerReceipt {
    const { messageId, content, when, by = { kind: 'temporal' } } = request;
    if (!this.isKnown(request)) {
      this.queue.accept({ messageId, content, when, by, at: isoTime(Date.now()) });
    }
    if (when === 'now') this.queue.markInterrupting(messageId);
    if (!this.queue.hasInterrupt) return { messageId, interrupts: null };
    this.#running?.interrupt();
    return { messageId, interrupts: this.#running?.step ?? null };
  }

  /**
   * Reports whether the message was accepted before, and changes nothing. Throws ApplicationFailure, with the reason,
   * if it does not count.
   */
  isKnown(request: SteerRequest): boolean {
    refuseResetRun();
    const verdict = this.queue.judge(request);
    if (verdict.kind === 'refused') throw steerRefusedFailure(verdict.code, verdict.message);
    return verdict.kind === 'same';
  }
}

const steerRefusedFailure = (code: SteerRefusal, message: string): ApplicationFailure =>
  ApplicationFailure.create({ message, type: code, nonRetryable: true });

/**
 * Largest history, in events and bytes, at which a turn still takes messages by update. Each message lets the turn
 * continue, and after the loss of a worker the whole history has to be replayed in one workflow task.
 */
const MAX_EVENTS = 5_000;
const MAX_BYTES = 8_000_000;

/**
 * Listens for steers. The handler of the signal never throws, so that a bad message which somebody sends by hand cannot
 * wedge the turn.
 */
export const registerSteerHandlers = (steering: TurnSteering): void => {
  setHandler(steerUpdate, (request) => steering.steer(parseSteer(request)), {
    validator: (request: unknown) => {
      if (!steering.isKnown(parseSteer(request))) requireRoom();
    },
    description:
      'A message into the running turn: `{ messageId, content, when? }`; with `when: "now"` it interrupts.',
  });
  setHandler(
    steerSignal,
    (request: unknown) => {
      try {
        steering.steer(parseSteer(request));
      } catch (error) {
        workflowLog.warn('steer ignored', { reason: String(error) });
      }
    },
    { description: 'The same as the update of this name, without an answer.' },
  );
  setHandler(pendingSteersQuery, () => [...steering.queue.pending], {
    description: 'Messages into the turn that have not reached the model. No input.',
  });
};

/** Parses a message. Throws ApplicationFailure for a value that is not a message. */
const parseSteer = (request: unknown): SteerRequest => {
  const parsed = steerRequestSchema.safeParse(request);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw steerRefusedFailure('validation_failed', `${issue?.path.join('.') || 'steer'}: ${issue?.message}`);
};

/**
 * Throws ApplicationFailure if the turn has grown too large for another message. The size of the history differs in a
 * replay, so only a validator may call this, which is never replayed.
 */
const requireRoom = (): void => {
  const { historyLength, historySize } = workflowInfo();
  if (historyLength <= MAX_EVENTS && historySize <= MAX_BYTES) return;
  const size = `${historyLength} events and ${historySize} bytes`;
  throw steerRefusedFailure(
    'too_many_messages',
    `A turn takes messages while its history has at most ${MAX_EVENTS} events and ${MAX_BYTES} bytes; it has ${size}.`,
  );
};
