import { condition, log as workflowLog, patched, proxyActivities } from '@temporalio/workflow';
import type { InputActivities } from '../../activities/inputs/input-activities.ts';
import { MAX_WAITING_MS } from '../../src/contracts/inputs/input-request.ts';
import { inputIdOf } from '../../src/contracts/inputs/input-id.ts';
import type { OptionalInputKind } from '../../src/contracts/wire/input-events.ts';
import type { AnnounceInputRequestInput } from '../../src/contracts/payload/input-activity-payloads.ts';
import type { InputSettings } from '../../src/contracts/payload/turn-workflow-payloads.ts';
import { isoTime } from '../../src/contracts/values/iso-time.ts';
import type {
  InputRequestSpec,
  ResolvedInputRequest,
  InputPort,
  InputRequestPreparation,
} from '../../src/protocol/ports/input-port.ts';
import { inputRequestOptions, START_TO_CLOSE_SET_PER_CALL } from '../sdk/activity-options.ts';
import { announceRequest, type PreparedInputRequest, subjectOf } from './announce-input.ts';
import { ReplyIntake } from './reply-intake.ts';
import type { TurnRun } from './turn-run.ts';
import { isTurnSuperseded } from './superseded-run.ts';
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

/**
 * The port of input requests inside the workflow. The event of a request is written between `prepareInput` and
 * `announceInput`, and then the turn waits with one timer. Whatever wakes the turn, the state of its requests decides
 * what has happened.
 */
export class ActivityBackedInputs implements InputPort {
  readonly policy: InputPort['policy'];
  /** Takes the replies to the requests that this port makes. */
  readonly replies: ReplyIntake;
  readonly #run: TurnRun;
  readonly #expiryMs: number;
  readonly #acceptedKinds: readonly OptionalInputKind[];
  #requestCount = 0;
  #waitedMs = 0;
  #prepared: PreparedInputRequest | undefined;

  constructor(run: TurnRun, { approvals, expiryMs, accepts = [] }: InputSettings) {
    this.#run = run;
    this.replies = new ReplyIntake(run);
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

  async prepare(spec: InputRequestSpec): Promise<InputRequestPreparation> {
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
      if (before !== undefined) this.replies.keepBefore(inputId, before);
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
    const { inputId } = request;
    this.replies.open(request, event.default);
    const interrupt = (): void => void this.replies.takeDefault(inputId, 'steer');
    const { steering } = this.#run;
    // A message may have come while the request was prepared.
    if (steering.queue.hasInterrupt) interrupt();
    try {
      const waitedMs = await steering.during({ step: null, interrupt }, () =>
        this.#awaitResolution(request, event),
      );
      // A request that is still open has expired. Any other keeps its resolution.
      const resolution = this.replies.takeDefault(inputId, 'expiry');
      this.#run.resolutions.add(resolution);
      return this.replies.outcomeOf(resolution, waitedMs);
    } finally {
      this.replies.close();
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
    const isResolved = (): boolean => this.replies.isResolved(inputId);
    if (isResolved()) return 0;
    if (n > MAX_REQUESTS || expiresAt <= Date.now() || !(await announceRequest(this.#run, request, event))) {
      if (!isResolved()) this.replies.takeDefault(inputId, 'limit');
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
}
