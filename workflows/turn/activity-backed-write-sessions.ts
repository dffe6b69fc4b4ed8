import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  log as workflowLog,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import type { TurnActivities } from '../../activities/create-activities.ts';
import type { KeepWriteSessionInput } from '../../src/contracts/payload/session-activity-payloads.ts';
import type { TurnInput } from '../../src/contracts/payload/turn-workflow-payloads.ts';
import { OUTCOME_UNKNOWN } from '../../src/contracts/tools/tool-call.ts';
import type { ReplacedText } from '../../src/contracts/write-session/write-session.ts';
import { writeSessionWorkflowId } from '../../src/contracts/values/workflow-ids.ts';
import { type SessionEnded, sessionEndedSchema } from '../../src/contracts/write-session/session-messages.ts';
import {
  type BegunSession,
  type KeepOutcome,
  type SessionPhase,
  type WriteSessionPort,
  type WrittenSession,
  outcomeOfEnded,
} from '../../src/protocol/ports/write-session-port.ts';
import {
  cancelSessionSignal,
  clientFinalizeFailedSignal,
  writeSessionEndedSignal,
} from '../../src/temporal/write-session-messages.ts';
import { keepWriteSessionOptions, START_TO_CLOSE_SET_PER_CALL } from '../sdk/activity-options.ts';
import type { TurnRun } from './turn-run.ts';
import { isTurnSuperseded } from './superseded-run.ts';
import { takeActivityInput } from './activity-input.ts';

const { keepWriteSession } =
  proxyActivities<Pick<TurnActivities, 'keepWriteSession'>>(START_TO_CLOSE_SET_PER_CALL);

/**
 * Longest time in milliseconds for which the turn lets a client finalize first (docs/write-sessions.md "In a turn").
 */
const CLIENT_FIRST_MS = 30_000;

/**
 * The port of write sessions inside the workflow. It keeps and commits by the activity `keepWriteSession`, which reads
 * the text from where the model calls have stored it.
 */
export class ActivityBackedWriteSessions implements WriteSessionPort {
  /** The parts of the turn's answer that were the content of write sessions. */
  readonly replaced: ReplacedText[] = [];
  readonly #run: TurnRun;
  readonly #ended = new Map<string, SessionEnded>();
  readonly #clientFailed = new Set<unknown>();
  #leftOpen: string | undefined;

  constructor(run: TurnRun) {
    this.#run = run;
  }

  /**
   * The session that was kept last, if it had then neither ended nor been committed. The call that begins the next
   * session replaces it. Undefined if there is none.
   */
  get leftOpenSession(): string | undefined {
    return this.#leftOpen;
  }

  /** Notes the end of a session, as reported by its workflow. */
  noteEnd(ended: SessionEnded): void {
    this.#ended.set(ended.sessionId, ended);
  }

  /**
   * Notes that a client's attempt to commit has failed, so that the turn no longer waits for the client. `sessionId`
   * comes from a signal, unchecked.
   */
  noteClientFailed(sessionId: unknown): void {
    this.#clientFailed.add(sessionId);
  }

  noteReplaced(replaced: ReplacedText): void {
    this.replaced.push(replaced);
  }

  async keep(written: WrittenSession): Promise<KeepOutcome> {
    const { sessionId } = written.session;
    const outcome = this.#endOf(sessionId) ?? (await this.#keepAndCommit(written));
    this.#leftOpen = outcome.kind === 'committed' || this.#ended.has(sessionId) ? undefined : sessionId;
    return outcome;
  }

  async withdraw({ sessionId }: BegunSession): Promise<KeepOutcome | undefined> {
    const ended = this.#endOf(sessionId);
    if (ended) return ended;
    const session = getExternalWorkflowHandle(writeSessionWorkflowId(sessionId));
    try {
      await CancellationScope.nonCancellable(() => session.signal(cancelSessionSignal));
    } catch (error) {
      // Most likely the session has already ended. If it has not, the sweeper ends it after the turn has ended.
      workflowLog.info('the write session was not told', { sessionId, reason: String(error) });
    }
    return undefined;
  }

  async #keepAndCommit(written: WrittenSession): Promise<KeepOutcome> {
    if (!written.isComplete) return this.#keep(written, { shouldCommit: false });
    if (written.approval || this.#run.input.writeSession !== 'client') {
      return this.#keep(written, { shouldCommit: true });
    }
    const { sessionId } = written.session;
    // An earlier failure was about an earlier text of this session, which the model has corrected since.
    this.#clientFailed.delete(sessionId);
    const draft = await this.#keep(written, { shouldCommit: false });
    if (draft.kind !== 'kept') return draft;
    try {
      const isOver = (): boolean => this.#ended.has(sessionId) || this.#clientFailed.has(sessionId);
      const timer = { summary: `client writes ${written.session.target} first` };
      await this.#run.openWaits.for(`the client, which may write ${written.session.target} itself`, () =>
        condition(isOver, clientFirstMs(this.#run.input), timer),
      );
      return this.#endOf(sessionId) ?? (await this.#keep(written, { shouldCommit: true }));
    } catch (error) {
      // The user cancelled the turn. The draft stays, so that a client can still finalize it.
      if (isCancellation(error)) return draft;
      throw error;
    }
  }

  /** Runs the activity that keeps what was written. A cancel of the turn does not stop it. */
  async #keep(
    { session, phases, content, approval }: WrittenSession,
    { shouldCommit }: { readonly shouldCommit: boolean },
  ): Promise<KeepOutcome> {
    const activityInput = takeActivityInput(this.#run);
    const request: KeepWriteSessionInput = {
      ...activityInput,
      sessionId: session.sessionId,
      phases: phases.map((phase) => this.#sourceOf(phase)),
      content,
      commit: shouldCommit,
      ...(approval && { approval }),
    };
    const summary = `${shouldCommit ? 'write' : 'keep draft of'} ${session.target}`;
    const options = keepWriteSessionOptions(summary, this.#run.input.heartbeatTimeoutMs);
    try {
      const outcome = await this.#run.openWaits.for(`a file: activity keepWriteSession "${summary}"`, () =>
        CancellationScope.nonCancellable(() => keepWriteSession.executeWithOptions(options, [request])),
      );
      this.#run.traces.noteStored(activityInput.traces);
      // The resolutions go along with the next activity, too. A worker of an earlier version does not store them here,
      // and to store them twice changes nothing.
      return outcome;
    } catch (error) {
      if (isTurnSuperseded(error)) throw error;
      return this.#endOf(session.sessionId) ?? lostOutcome(shouldCommit);
    }
  }

  #sourceOf({ step, skip, end, text }: SessionPhase): KeepWriteSessionInput['phases'][number] {
    // The stored segment of a lost step does not count, so its text goes along. That text does not contain the skipped
    // characters.
    const epoch = this.#run.turnLog.segmentEpoch(step);
    return epoch === undefined ? { end, skip: 0, source: { text } } : { end, skip, source: { epoch } };
  }

  #endOf(sessionId: string): KeepOutcome | undefined {
    const ended = this.#ended.get(sessionId);
    return ended && outcomeOfEnded(ended);
  }
}

/**
 * Returns the outcome when the activity has failed, usually because every attempt was lost. A commit may have taken
 * effect, so nobody may call the file written, nor write it again.
 */
const lostOutcome = (shouldCommit: boolean): KeepOutcome => ({
  kind: 'failed',
  code: 'write_failed',
  reason: shouldCommit
    ? `${OUTCOME_UNKNOWN}: the write was lost; it may or may not have taken effect`
    : 'the draft could not be stored',
});

/**
 * Listens for messages about write sessions, from the workflows of the sessions and from clients that finalize them.
 * `inputRequests` also learns that a session has ended, because an open request may be about it.
 */
export const registerSessionHandlers = (
  writeSessions: ActivityBackedWriteSessions,
  inputRequests: { noteEnd(ended: SessionEnded): void },
): void => {
  setHandler(
    writeSessionEndedSignal,
    (ended: unknown) => {
      const parsed = sessionEndedSchema.safeParse(ended);
      if (parsed.success) {
        writeSessions.noteEnd(parsed.data);
        inputRequests.noteEnd(parsed.data);
      } else {
        workflowLog.warn('writeSessionEnded ignored', { expected: '{ sessionId, end, content? }' });
      }
    },
    { description: 'A write session of this turn has ended, told by its workflow: not to be sent by hand.' },
  );
  setHandler(clientFinalizeFailedSignal, (sessionId: unknown) => writeSessions.noteClientFailed(sessionId), {
    description: 'The client of a write session could not commit it: the turn does. Input: the session id.',
  });
};

/**
 * Returns how many milliseconds the turn waits for a client. This is at most half of the session's inactivity timeout,
 * so that the session does not expire meanwhile.
 */
const clientFirstMs = ({ sessionInactivityMs = 2 * CLIENT_FIRST_MS }: TurnInput): number =>
  Math.min(CLIENT_FIRST_MS, sessionInactivityMs / 2);
