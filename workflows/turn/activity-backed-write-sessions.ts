import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  log as workflowLog,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/create-activities.ts';
import type { KeepWriteSessionInput } from '../../src/contracts/payload/session-activity-payloads.ts';
import type { TurnInput } from '../../src/contracts/payload/turn-workflow-payloads.ts';
import { OUTCOME_UNKNOWN } from '../../src/contracts/tools/tool-call.ts';
import {
  type ReplacedText,
  writeSessionWorkflowId,
} from '../../src/contracts/write-session/write-session.ts';
import { type SessionEnded, sessionEndedSchema } from '../../src/contracts/write-session/session-messages.ts';
import { WRITE_SESSION_TEXTS } from '../../src/contracts/write-session/write-session-texts.ts';
import type {
  BegunSession,
  KeepOutcome,
  SessionPhase,
  WriteSessionPort,
  WrittenSession,
} from '../../src/protocol/ports/write-session-port.ts';
import {
  cancelSessionSignal,
  clientFinalizeFailedSignal,
  writeSessionEndedSignal,
} from '../../src/temporal/write-session-messages.ts';
import { keepWriteSessionOptions, START_TO_CLOSE_SET_PER_CALL } from '../sdk/activity-options.ts';
import { takeActivityEnvelope, type TurnContext, isTurnSuperseded } from './turn-context.ts';

const { keepWriteSession } =
  proxyActivities<Pick<Activities, 'keepWriteSession'>>(START_TO_CLOSE_SET_PER_CALL);

/** Milliseconds during which a client that finalizes by itself comes first (docs/write-sessions.md "In a turn"). */
const CLIENT_FIRST_MS = 30_000;

/** Half of the session's inactivity bounds the wait, so that the session does not expire meanwhile. */
const clientFirstMs = ({ sessionInactivityMs = 2 * CLIENT_FIRST_MS }: TurnInput): number =>
  Math.min(CLIENT_FIRST_MS, sessionInactivityMs / 2);

/**
 * The port of write sessions inside the workflow: one `keepWriteSession` activity per content phase, which takes the
 * text from where the model calls have stored it.
 */
export class ActivityBackedWriteSessions implements WriteSessionPort {
  /** Texts of the turn's reply that became files. */
  readonly replaced: ReplacedText[] = [];
  readonly #turn: TurnContext;
  readonly #ended = new Map<string, SessionEnded>();
  readonly #clientFailed = new Set<unknown>();
  #leftOpen: string | undefined;

  constructor(turn: TurnContext) {
    this.#turn = turn;
  }

  /** A session of this turn that has not ended, although nothing will write it any longer. */
  get leftOpenSession(): string | undefined {
    return this.#leftOpen;
  }

  /** Notes that a session has ended, as its workflow says. */
  noteEnd(ended: SessionEnded): void {
    this.#ended.set(ended.sessionId, ended);
  }

  /** Notes that a client has tried, and that its commit failed: there is no need to wait for it any longer. */
  noteClientFailed(sessionId: unknown): void {
    this.#clientFailed.add(sessionId);
  }

  noteReplaced(replaced: ReplacedText): void {
    this.replaced.push(replaced);
  }

  async keep(written: WrittenSession): Promise<KeepOutcome> {
    const { sessionId } = written.session;
    const outcome = this.#endOf(sessionId) ?? (await this.#kept(written));
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
      // The session has ended. If not, the sweeper finds it, since its turn has.
      workflowLog.info('the write session was not told', { sessionId, reason: String(error) });
    }
    return undefined;
  }

  async #kept(written: WrittenSession): Promise<KeepOutcome> {
    if (!written.isComplete) return this.#run(written, { shouldCommit: false });
    if (written.approval || this.#turn.input.writeSession !== 'client') {
      return this.#run(written, { shouldCommit: true });
    }
    const { sessionId } = written.session;
    // Belongs to an earlier text of this session, which has been mended since.
    this.#clientFailed.delete(sessionId);
    const draft = await this.#run(written, { shouldCommit: false });
    if (draft.kind !== 'kept') return draft;
    try {
      const isOver = (): boolean => this.#ended.has(sessionId) || this.#clientFailed.has(sessionId);
      const timer = { summary: `client writes ${written.session.target} first` };
      await this.#turn.openWaits.for(`the client, which may write ${written.session.target} itself`, () =>
        condition(isOver, clientFirstMs(this.#turn.input), timer),
      );
      return this.#endOf(sessionId) ?? (await this.#run(written, { shouldCommit: true }));
    } catch (error) {
      // The user cancelled the turn: the draft stays, and whoever wants it written can still finalize it.
      if (isCancellation(error)) return draft;
      throw error;
    }
  }

  /** Keeps what was written, also after a cancel. */
  async #run(
    { session, phases, content, approval }: WrittenSession,
    { shouldCommit }: { readonly shouldCommit: boolean },
  ): Promise<KeepOutcome> {
    const ref = takeActivityEnvelope(this.#turn);
    const request: KeepWriteSessionInput = {
      ...ref,
      sessionId: session.sessionId,
      phases: phases.map((phase) => this.#sourceOf(phase)),
      content,
      commit: shouldCommit,
      ...(approval && { approval }),
    };
    const summary = `${shouldCommit ? 'write' : 'keep draft of'} ${session.target}`;
    const options = keepWriteSessionOptions(summary, this.#turn.input.heartbeatTimeoutMs);
    try {
      const outcome = await this.#turn.openWaits.for(`a file: activity keepWriteSession "${summary}"`, () =>
        CancellationScope.nonCancellable(() => keepWriteSession.executeWithOptions(options, [request])),
      );
      this.#turn.traces.noteStored(ref.traces);
      return outcome;
    } catch (error) {
      if (isTurnSuperseded(error)) throw error;
      return this.#endOf(session.sessionId) ?? lost(shouldCommit);
    }
  }

  #sourceOf({ step, skip, end, text }: SessionPhase): KeepWriteSessionInput['phases'][number] {
    const epoch = this.#turn.log.segmentEpoch(step);
    return epoch === undefined ? { end, skip: 0, source: { text } } : { end, skip, source: { epoch } };
  }

  #endOf(sessionId: string): KeepOutcome | undefined {
    const ended = this.#ended.get(sessionId);
    if (ended === undefined) return undefined;
    return ended.end === 'committed' && ended.content !== undefined
      ? { kind: 'committed', content: ended.content }
      : { kind: 'failed', code: 'write_failed', reason: WRITE_SESSION_TEXTS.sessionNotFound };
  }
}

/** Every attempt was lost. Nobody may call the file written, nor write it again. */
const lost = (shouldCommit: boolean): KeepOutcome => ({
  kind: 'failed',
  code: 'write_failed',
  reason: shouldCommit
    ? `${OUTCOME_UNKNOWN}: the write was lost; it may or may not have taken effect`
    : 'the draft could not be stored',
});

/**
 * Takes the messages that workflows of sessions, and clients that finalize them, send to the turn. `requests` learn of
 * an end, too: one may be about the session.
 */
export const listenForSessions = (
  sessions: ActivityBackedWriteSessions,
  requests: { noteEnd(ended: SessionEnded): void },
): void => {
  setHandler(
    writeSessionEndedSignal,
    (ended: unknown) => {
      const parsed = sessionEndedSchema.safeParse(ended);
      if (parsed.success) {
        sessions.noteEnd(parsed.data);
        requests.noteEnd(parsed.data);
      } else {
        workflowLog.warn('writeSessionEnded ignored', { expected: '{ sessionId, end, content? }' });
      }
    },
    { description: 'A write session of this turn has ended, told by its workflow: not to be sent by hand.' },
  );
  setHandler(clientFinalizeFailedSignal, (sessionId: unknown) => sessions.noteClientFailed(sessionId), {
    description: 'The client of a write session could not commit it: the turn does. Input: the session id.',
  });
};
