import type { StoredResolution, CommitSubject } from '../../src/contracts/inputs/input-request.ts';
import type { ReplyRequest } from '../../src/contracts/inputs/reply.ts';
import { isoTime } from '../../src/contracts/values/iso-time.ts';
import type { InputActor, ReplyName } from '../../src/contracts/wire/input-events.ts';
import { InputRequestState, replyHashOf } from '../../src/protocol/inputs/input-request-state.ts';
import type { ResolvedInputRequest } from '../../src/protocol/ports/input-port.ts';
import type { PreparedInputRequest } from './announce-input.ts';
import { checkEdit, type CheckedEdit } from './checked-edit.ts';
import { callAnswerOf, type ReplyHandler, replyRefusalFailure } from './reply-handlers.ts';
import { refuseResetRun } from './superseded-run.ts';
import type { TurnRun } from './turn-run.ts';

/** Largest number of characters of changed arguments in the event of a resolution. */
const SHOWN_CHARACTERS = 2_048;

/** The parts of an outcome that its event omits or cuts. */
type HiddenOutcome = Omit<ResolvedInputRequest, 'event' | 'waitedMs'>;

/**
 * Takes the replies to the input requests of a turn, one request at a time. It keeps how each request was resolved, and
 * what the event of its resolution leaves out.
 */
export class ReplyIntake implements ReplyHandler {
  readonly #run: Pick<TurnRun, 'input' | 'cancellation'>;
  readonly #inputRequests = new InputRequestState();
  /** The parts of each outcome, by the id of its request. */
  readonly #unshown = new Map<string, HiddenOutcome>();
  #openRequest: PreparedInputRequest | undefined;

  constructor(run: Pick<TurnRun, 'input' | 'cancellation'>) {
    this.#run = run;
  }

  /** Keeps the content that a file had before the call that the request is about. */
  keepBefore(inputId: string, before: string | null): void {
    this.#unshown.set(inputId, { before });
  }

  /** Opens a request: from now on replies to it can count. */
  open(request: PreparedInputRequest, defaultReply: ReplyName): void {
    const { inputId, argsHash, spec } = request;
    this.#openRequest = request;
    this.#inputRequests.open({
      inputId,
      ...(argsHash !== undefined && { argsHash }),
      options: spec.options,
      default: defaultReply,
      ...(spec.refusalFor && { refusalFor: spec.refusalFor }),
    });
  }

  /** Closes the open request. Replies that come later are refused. */
  close(): void {
    this.#inputRequests.abandon();
    this.#openRequest = undefined;
  }

  /** Reports whether a reply or a default has resolved a request. */
  isResolved(inputId: string): boolean {
    return this.#inputRequests.resolutionOf(inputId) !== undefined;
  }

  /** Resolves a request by its default, unless it was resolved before. Returns the resolution that counts. */
  takeDefault(inputId: string, by: InputActor['kind']): StoredResolution {
    return this.#inputRequests.takeDefault(inputId, by, now());
  }

  /** Returns the outcome of a request that was resolved after the turn had waited `waitedMs`. */
  outcomeOf({ replyHash: _known, ...resolution }: StoredResolution, waitedMs: number): ResolvedInputRequest {
    const event = { type: 'input_resolved', ...resolution } as const;
    return { event, waitedMs, ...this.#unshown.get(resolution.inputId) };
  }

  /** Resolves the open request by its default if it is about this write session, which has ended. */
  noteEnd({ sessionId }: Pick<CommitSubject, 'sessionId'>): void {
    const { spec, inputId = '' } = this.#openRequest ?? {};
    if (spec?.session?.sessionId === sessionId) this.takeDefault(inputId, 'expiry');
  }

  /**
   * Handles a reply that came by update or signal. Returns the resolution that counts, which an earlier reply may have
   * brought about if it was the same. Throws ApplicationFailure for a reply that does not count.
   */
  async reply(request: ReplyRequest): Promise<StoredResolution> {
    const first = this.judge(request);
    if (first) return first;
    const { inputId, reply, note, arguments: editedArguments, by = { kind: 'temporal' } } = request;
    const checkedEdit = editedArguments && reply === 'edit' ? await this.#check(editedArguments) : undefined;
    // Another reply may have been accepted while the arguments were checked.
    const since = this.judge(request);
    if (since) return since;
    const argsHash = checkedEdit?.argsHash ?? request.argsHash;
    if (checkedEdit) this.#unshown.set(inputId, { arguments: checkedEdit.text });
    if (reply === 'answer' || reply === 'result') {
      this.#unshown.set(inputId, { answer: callAnswerOf(request) });
    }
    return this.#inputRequests.resolve(inputId, {
      inputId,
      reply,
      by,
      at: now(),
      ...(note !== undefined && { note }),
      ...(checkedEdit && { arguments: checkedEdit.text.slice(0, SHOWN_CHARACTERS).toWellFormed() }),
      ...(argsHash !== undefined && { argsHash }),
      replyHash: replyHashOf(request),
    });
  }

  /**
   * Judges a reply and changes nothing. Returns undefined if it counts. Returns the resolution if the same reply was
   * accepted before. Throws ApplicationFailure, with the reason, if the reply does not count.
   */
  judge(request: ReplyRequest): StoredResolution | undefined {
    refuseResetRun();
    const verdict = this.#inputRequests.judge(request);
    switch (verdict.kind) {
      case 'counts':
        // Temporal may deliver a cancel together with later messages in one task, during which the request is still
        // open.
        if (this.#run.cancellation.isRequested) {
          throw replyRefusalFailure('input_closed', 'The turn has ended.');
        }
        return undefined;
      case 'same':
        return verdict.resolution;
      case 'refused':
        throw replyRefusalFailure(verdict.code, verdict.message, verdict.resolution);
      default:
        return verdict satisfies never;
    }
  }

  #check(editedArguments: object): Promise<CheckedEdit> {
    if (!this.#openRequest) throw replyRefusalFailure('input_closed', 'The request is closed.');
    const { inputId } = this.#openRequest;
    return checkEdit(this.#run.input, this.#openRequest, editedArguments, () =>
      this.#inputRequests.noteFailedEdit(inputId),
    );
  }
}

const now = (): string => isoTime(Date.now());
