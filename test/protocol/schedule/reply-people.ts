import type { ReplyRequest } from '../../../src/contracts/inputs/reply.ts';
import type { StoredResolution } from '../../../src/contracts/inputs/input-request.ts';
import type { InputRequested } from '../../../src/contracts/wire/input-events.ts';
import { InputRequestState, replyHashOf } from '../../../src/protocol/inputs/input-request-state.ts';
import type { Random } from '../../support/random.ts';

const AT = '2026-01-05T09:00:00.000Z';
/** The number of replies to one request that are remembered, so that people repeat and contradict them. */
const MAX_REMEMBERED = 6;

/** A reply and the answer that its sender got. */
export interface AnsweredReply {
  readonly request: ReplyRequest;
  readonly outcome: { readonly resolution: StoredResolution } | { readonly refused: string };
}

/** An input request as the events show it. */
type Seen = Pick<InputRequested, 'inputId' | 'options' | 'argsHash' | 'arguments'>;

/**
 * The input requests of a workflow whose worker may die at any moment: its decisions are in its history, from which
 * another worker makes the same ones.
 */
export class ReplayedRequests {
  readonly #history: ((requests: InputRequestState) => void)[] = [];
  #requests = new InputRequestState();

  /** Applies a step, and keeps it for the next worker. */
  do<T>(step: (requests: InputRequestState) => T): T {
    this.#history.push(step);
    return step(this.#requests);
  }

  get reader(): Pick<InputRequestState, 'judge' | 'resolutionOf'> {
    return this.#requests;
  }

  kill(): void {
    this.#requests = new InputRequestState();
    for (const step of this.#history) step(this.#requests);
  }
}

/**
 * People who reply: at once, late, again because the answer was lost, with another reply, and about what they never
 * saw.
 */
export class Repliers {
  readonly answered: AnsweredReply[] = [];
  readonly #random: Random;
  readonly #requests: ReplayedRequests;
  readonly #seen: Seen[] = [];
  readonly #sent: ReplyRequest[] = [];
  /** Edits whose arguments a worker is checking. */
  #checks: ReplyRequest[] = [];
  readonly #people: number;

  constructor(random: Random, requests: ReplayedRequests, people: number) {
    this.#random = random;
    this.#requests = requests;
    this.#people = people;
  }

  see(requested: Seen): void {
    this.#seen.push(requested);
  }

  act(): void {
    const kind = this.#random.below(10);
    if (kind === 0) return this.#finishCheck();
    const again = this.#random.pick(this.#sent.slice(-MAX_REMEMBERED));
    if (kind < 3 && again) return this.#send(again);
    const seen = this.#random.chance(0.8) ? this.#seen.at(-1) : this.#random.pick(this.#seen);
    if (seen) this.#send(this.#replyTo(seen));
  }

  #replyTo({ inputId, options, argsHash, arguments: shown }: Seen): ReplyRequest {
    const reply = this.#random.chance(0.9) ? (this.#random.pick(options) ?? 'deny') : 'keep_going';
    const hash = this.#random.chance(0.9) ? argsHash : 'f'.repeat(64);
    const edited = shown?.includes('"a"') ? { path: 'edited' } : { path: 'a' };
    return {
      inputId: this.#random.chance(0.95) ? inputId : `${inputId}0`,
      reply,
      by: { kind: 'key', name: `person ${this.#random.below(this.#people)}` },
      ...(hash !== undefined && { argsHash: hash }),
      ...(reply === 'edit' && { arguments: edited }),
      ...((reply === 'answer' || reply === 'result') && { content: 'Blue.', ok: true }),
      ...(reply === 'deny' && { note: 'so' }),
    };
  }

  /**
   * Sends a reply as an update does: its validator judges first, an activity checks an edit, and then the present state
   * decides.
   */
  #send(request: ReplyRequest): void {
    this.#sent.push(request);
    const verdict = this.#requests.reader.judge(request);
    if (verdict.kind !== 'counts') this.#answer(request, verdict);
    else if (request.reply === 'edit') this.#checks.push(request);
    else this.#resolve(request);
  }

  #finishCheck(): void {
    const request = this.#checks.shift();
    if (!request) return;
    if (this.#random.chance(0.2)) {
      this.#requests.do((requests) => requests.noteFailedEdit(request.inputId));
      this.answered.push({ request, outcome: { refused: 'validation_failed' } });
      return;
    }
    const verdict = this.#requests.reader.judge(request);
    if (verdict.kind === 'counts') this.#resolve(request);
    else this.#answer(request, verdict);
  }

  #resolve(request: ReplyRequest): void {
    const { inputId, reply, by = { kind: 'temporal' }, note, argsHash, arguments: edited } = request;
    const resolution = this.#requests.do((requests) =>
      requests.resolve(inputId, {
        inputId,
        reply,
        by,
        at: AT,
        ...(note !== undefined && { note }),
        ...(edited && { arguments: JSON.stringify(edited) }),
        ...(argsHash !== undefined && { argsHash }),
        replyHash: replyHashOf(request),
      }),
    );
    this.answered.push({ request, outcome: { resolution } });
  }

  #answer(
    request: ReplyRequest,
    verdict: Exclude<ReturnType<InputRequestState['judge']>, { kind: 'counts' }>,
  ): void {
    const outcome = verdict.kind === 'same' ? { resolution: verdict.resolution } : { refused: verdict.code };
    this.answered.push({ request, outcome });
  }
}
