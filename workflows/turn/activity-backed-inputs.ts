import { condition, log as workflowLog, patched, proxyActivities } from '@temporalio/workflow';
import type { InputActivities } from '../../activities/inputs/input-activities.ts';
import {
  MAX_WAITING_MS,
  type StoredResolution,
  type CommitSubject,
} from '../../src/contracts/inputs/input-request.ts';
import { inputIdOf } from '../../src/contracts/inputs/input-id.ts';
import type { OptionalInputKind } from '../../src/contracts/wire/input-events.ts';
import type { ReplyRequest } from '../../src/contracts/inputs/reply.ts';
import type { AnnounceInputRequestInput } from '../../src/contracts/payload/input-activity-payloads.ts';
import type { InputSettings } from '../../src/contracts/payload/turn-workflow-payloads.ts';
import { isoTime } from '../../src/contracts/values/iso-time.ts';
import { InputRequestState, replyHashOf } from '../../src/protocol/inputs/input-request-state.ts';
import type {
  InputRequestSpec,
  ResolvedInputRequest,
  InputPort,
  PrepareInputRequestOutcome,
} from '../../src/protocol/ports/input-port.ts';
import { inputRequestOptions, START_TO_CLOSE_SET_PER_CALL } from '../sdk/activity-options.ts';
import { announceRequest, type PreparedInputRequest, subjectOf } from './announce-input.ts';
import { checkEdit, type CheckedEdit } from './checked-edit.ts';
import { callAnswerOf, replyRefusalFailure } from './reply-handlers.ts';
import type { TurnRun } from './turn-run.ts';
import { isTurnSuperseded, refuseResetRun } from './superseded-run.ts';
import { takeActivityInput } from './activity-input.ts';
import { showProgress, showRequest, showStatus } from './turn-visibility.ts';

const { prepareInput } = proxyActivities<Pick<InputActivities, 'prepareInput'>>(START_TO_CLOSE_SET_PER_CALL);

/**
 * Largest number of input requests that a turn announces (docs/inputs.md "Bounds"). Further ones get their defaults at
 * once.
 */
const MAX_REQUESTS = 50;
/**
 * Longest expiry of a request at a limit, in milliseconds. The person who decides whether a turn continues is watching
 * it, and needs little time.
 */
const LIMIT_EXPIRY_MS = 10 * 60_000;

/** The parts of an outcome that its event omits or cuts. */
type HiddenOutcome = Omit<ResolvedInputRequest, 'event' | 'waitedMs'>;

/**
 * The port of input requests inside the workflow. The event of a request is written between `prepareInput` and
 * `announceInput`, and then the turn waits with one timer. Whatever wakes the turn, the state of its requests decides
 * what has happened.
 */
export class ActivityBackedInputs implements InputPort {
  readonly policy: InputPort['policy'];
  readonly #run: TurnRun;
  readonly #expiryMs: number;
  readonly #acceptedKinds: readonly OptionalInputKind[];
  readonly #requests = new InputRequestState();
  /** The parts of each outcome, by the id of its request. */
  readonly #unshown = new Map<string, HiddenOutcome>();
  #requestCount = 0;
  #waitedMs = 0;
  #prepared: PreparedInputRequest | undefined;
  #openRequest: PreparedInputRequest | undefined;

  constructor(run: TurnRun, { approvals, expiryMs, accepts = [] }: InputSettings) {
    this.#run = run;
    this.policy = approvals;
    this.#expiryMs = expiryMs;
    this.#acceptedKinds = accepts;
  }

  /**
   * Decides whether the turn makes a request of this kind. `patched` records a marker in the history, because a turn
   * that an older worker ran past such a request must not make one when it is replayed.
   */
  recordAskDecision(kind: OptionalInputKind): boolean {
    return (kind === 'commit' || this.#acceptedKinds.includes(kind)) && patched(`asks-${kind}`);
  }

  async prepare(spec: InputRequestSpec): Promise<PrepareInputRequestOutcome> {
    const { input, openWaits } = this.#run;
    this.#requestCount += 1;
    const n = this.#requestCount;
    const inputId = inputIdOf(input.turnId, n);
    const { kind, call, session, options, deadline } = spec;
    const subject = { ...(call && { call }), ...(session && { session }) };
    const summary = `request ${n} · ${subjectOf(spec)}`;
    const request = { ...takeActivityInput(this.#run), n, kind, mode: input.mode, ...subject, options };
    try {
      const prepared = await openWaits.for(`a request: activity prepareInput "${summary}"`, () =>
        prepareInput.executeWithOptions(inputRequestOptions(summary, deadline - Date.now()), [request]),
      );
      if (prepared.kind === 'failed') return prepared;
      const expiryMs = kind === 'limit' ? Math.min(LIMIT_EXPIRY_MS, this.#expiryMs) : this.#expiryMs;
      const expiresAt = Date.now() + Math.min(expiryMs, MAX_WAITING_MS - this.#waitedMs);
      const { shown, before, excerpt } = prepared;
      if (before !== undefined) this.#unshown.set(inputId, { before });
      this.#prepared = { n, inputId, spec, argsHash: shown.argsHash, excerpt, expiresAt };
      return { kind: 'ready', shown, inputId, expiresAt: isoTime(expiresAt) };
    } catch (error) {
      if (isTurnSuperseded(error) || this.#run.cancellation.isRequested) throw error;
      workflowLog.warn('a request could not be prepared', { inputId, reason: String(error) });
      return { kind: 'lost' };
    }
  }

  async wait(event: Pick<AnnounceInputRequestInput, 'message' | 'default'>): Promise<ResolvedInputRequest> {
    const request = this.#prepared;
    if (!request) throw new Error('wait: expected a request that was prepared');
    const { inputId, argsHash, spec } = request;
    this.#openRequest = request;
    this.#requests.open({
      inputId,
      ...(argsHash !== undefined && { argsHash }),
      options: spec.options,
      default: event.default,
      ...(spec.refusalFor && { refusalFor: spec.refusalFor }),
    });
    const interrupt = (): void => void this.#requests.takeDefault(inputId, 'steer', now());
    const { steering } = this.#run;
    // A message may have come while the request was prepared.
    if (steering.queue.hasInterrupt) interrupt();
    try {
      const waitedMs = await steering.during({ step: null, interrupt }, () =>
        this.#awaitResolution(request, event),
      );
      // A request that is still open has expired. Any other keeps its resolution.
      const resolution = this.#requests.takeDefault(inputId, 'expiry', now());
      this.#run.resolutions.add(resolution);
      return resolvedOutcome(resolution, waitedMs, this.#unshown.get(inputId));
    } finally {
      this.#requests.abandon();
      this.#openRequest = undefined;
    }
  }

  /** Resolves the open request by its default if it is about this write session, which has ended. */
  noteEnd({ sessionId }: Pick<CommitSubject, 'sessionId'>): void {
    const { spec, inputId = '' } = this.#openRequest ?? {};
    if (spec?.session?.sessionId === sessionId) this.#requests.takeDefault(inputId, 'expiry', now());
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
    return this.#requests.resolve(inputId, {
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
    const verdict = this.#requests.judge(request);
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

  /**
   * Announces the request and waits until it is resolved or has expired. A request that may not be announced is
   * resolved by its default. Returns the milliseconds of the wait, during which nothing else of the turn ran. They are
   * 0 without a wait.
   */
  async #awaitResolution(
    request: PreparedInputRequest,
    event: Pick<AnnounceInputRequestInput, 'message' | 'default'>,
  ): Promise<number> {
    const { n, inputId, expiresAt, spec } = request;
    const isResolved = (): boolean => this.#requests.resolutionOf(inputId) !== undefined;
    if (isResolved()) return 0;
    if (n > MAX_REQUESTS || expiresAt <= Date.now() || !(await announceRequest(this.#run, request, event))) {
      if (!isResolved()) this.#requests.takeDefault(inputId, 'limit', now());
      return 0;
    }
    const { input, openWaits } = this.#run;
    const since = Date.now();
    showStatus(input, 'waiting');
    const { argsHash, excerpt } = request;
    showRequest(this.#run, { inputId, message: event.message, options: spec.options, argsHash, excerpt });
    try {
      const timer = { summary: `${inputId} · ${subjectOf(spec)}` };
      const wait = (): Promise<boolean> => condition(isResolved, Math.max(1, expiresAt - Date.now()), timer);
      await openWaits.for(`a reply to ${inputId}`, wait);
    } finally {
      this.#waitedMs += Date.now() - since;
    }
    showStatus(input, 'running');
    showProgress(this.#run);
    return Date.now() - since;
  }

  #check(editedArguments: object): Promise<CheckedEdit> {
    if (!this.#openRequest) throw replyRefusalFailure('input_closed', 'The request is closed.');
    const { inputId } = this.#openRequest;
    return checkEdit(this.#run.input, this.#openRequest, editedArguments, () =>
      this.#requests.noteFailedEdit(inputId),
    );
  }
}

/** Largest number of characters of changed arguments in the event of a resolution. */
const SHOWN_CHARACTERS = 2_048;
const now = (): string => isoTime(Date.now());

const resolvedOutcome = (
  { replyHash: _known, ...resolution }: StoredResolution,
  waitedMs: number,
  unshown: HiddenOutcome | undefined,
): ResolvedInputRequest => ({ event: { type: 'input_resolved', ...resolution }, waitedMs, ...unshown });
