import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { withRetries, type RetryOptions } from '../http/retry.ts';
import type { WriteSessionClient } from '../http/write-session-client.ts';
import { ContentText } from './content-text.ts';
import { finalizeDraft } from './finalize-draft.ts';
import { IdleQuestion, type IdleQuestionOptions } from './idle-question.ts';
import type { KeptSession, KeptSessions } from './kept-sessions.ts';
import { finalizeFailure } from './write-failure.ts';
import { keptTextLine, unfinishedLine, committedLine } from './write-lines.ts';

type WriteSessionEvent = Extract<TurnEvent, { type: 'write_session' }>;

/** The result of a session, as far as this process knows. */
export type WriteOutcome =
  | { readonly kind: 'committed' }
  /** The text was refused and other text may be accepted, so the model is asked to repair it. */
  | { readonly kind: 'invalid'; readonly session: KeptSession; readonly line: string }
  | { readonly kind: 'failed'; readonly exitCode: ExitCode };

export interface WriteSessionControllerDeps extends IdleQuestionOptions {
  readonly client: Pick<WriteSessionClient, 'readStatus' | 'finalizeDraft' | 'putContent'>;
  readonly keptSessions: KeptSessions;
  readonly retry: RetryOptions;
}

/** Time in milliseconds from new text until it is written to disk. */
const KEEP_DELAY_MS = 500;

/**
 * The client's side of the write sessions of one turn (docs/write-sessions.md): collects the text, keeps it on disk,
 * finalizes when the turn says that the text is complete, and reports each result once. The turn finalizes by itself if
 * this process cannot. Whichever is first, the file is written once.
 */
export class WriteSessionController {
  readonly #deps: WriteSessionControllerDeps;
  readonly #idle: IdleQuestion;
  readonly #outcomes = new Map<string, WriteOutcome>();
  readonly #sessions = new Map<string, KeptSession>();
  #open: { session: KeptSession; content: ContentText } | undefined;
  #finalizing: Promise<void> = Promise.resolve();
  #keeping: Promise<void> = Promise.resolve();
  #stopKeeping: (() => void) | undefined;

  constructor(deps: WriteSessionControllerDeps) {
    this.#deps = deps;
    this.#idle = new IdleQuestion(deps);
  }

  /** True while the text of a session is being written. */
  get isCollecting(): boolean {
    return this.#open !== undefined;
  }

  /** The results of the sessions that have one, by the id of the session. */
  get outcomes(): ReadonlyMap<string, WriteOutcome> {
    return this.#outcomes;
  }

  /** The first text that was refused and may be repaired, with the line that explains it to the model. */
  get refusedOutcome(): Extract<WriteOutcome, { kind: 'invalid' }> | undefined {
    return [...this.#outcomes.values()].find((outcome) => outcome.kind === 'invalid');
  }

  /** Notes that the next action phase of the turn is the session's text. `textBefore` is the turn's text before it. */
  beginCollecting(session: KeptSession, textBefore: string): void {
    // A text that repairs a refused one gets an outcome of its own.
    this.#outcomes.delete(session.sessionId);
    this.#sessions.set(session.sessionId, session);
    this.#open = { session, content: new ContentText() };
    this.#open.content.beginPhase(textBefore);
    this.#scheduleKeep();
  }

  /**
   * Notes that another action phase of the turn begins. It continues the text of the open session, if there is one.
   * `textBefore` is the turn's text before the phase.
   */
  beginPhase(textBefore: string): void {
    this.#open?.content.beginPhase(textBefore);
  }

  /** Takes in text of the model. It belongs to the open session, and is ignored if there is none. */
  push(chunk: string): void {
    const content = this.#open?.content;
    if (!content) return;
    content.push(chunk);
    if (content.isDone) this.#idle.stop();
    else if (content.hasBegun) this.#idle.restart();
    this.#scheduleKeep();
  }

  /** Applies a reset of the turn, after which only `remaining` is left of the turn's text. */
  withdraw(remaining: string): void {
    this.#open?.content.withdraw(remaining);
  }

  /** Handles an event of the turn about a session, except the one that begins it (`beginCollecting`). */
  handleEvent(event: WriteSessionEvent): void {
    const { sessionId, target } = event;
    const session = this.#sessions.get(sessionId);
    switch (event.stage) {
      case 'begun':
        return;
      case 'content_complete':
        this.#stopCollecting({ isComplete: true });
        this.#outcomes.delete(sessionId);
        if (session) this.#finalize(session, () => this.#finalizeDraft(event));
        return;
      case 'committed':
        this.#stopCollecting({ isComplete: true });
        return this.#reportCommit(sessionId, event);
      case 'open':
        this.#stopCollecting({ isComplete: false });
        return this.#reportFailure(
          sessionId,
          unfinishedLine(event, this.#deps.keptSessions.textPath(sessionId)),
          EXIT.failed,
        );
      case 'failed':
        this.#stopCollecting({ isComplete: true });
        return this.#reportFailure(sessionId, `Could not write ${target}: ${event.error ?? ''}`, EXIT.failed);
      default:
        return event.stage satisfies never;
    }
  }

  /**
   * Notes that the turn has ended, and waits for everything under way. A text that is still open was the answer to a
   * request to repair it, and belongs to no session of the turn, so this process sends it.
   */
  async finishTurn(): Promise<void> {
    if (this.#open) this.#sendRepaired(this.#open);
    await this.#finalizing;
    await this.#keeping;
  }

  #sendRepaired({ session, content }: { session: KeptSession; content: ContentText }): void {
    const { sessionId, target } = session;
    const { text, isComplete } = content.read();
    this.#stopCollecting({ isComplete });
    if (isComplete) {
      this.#finalize(session, () => this.#deps.client.putContent(sessionId, text));
    } else {
      this.#reportFailure(
        sessionId,
        keptTextLine(target, this.#deps.keptSessions.textPath(sessionId)),
        EXIT.failed,
      );
    }
  }

  #finalizeDraft({ sessionId, bytes }: WriteSessionEvent): ReturnType<typeof finalizeDraft> {
    const { client, retry } = this.#deps;
    const isSettled = (): boolean => this.#outcomes.has(sessionId);
    return finalizeDraft({ client, sleep: retry.sleep, sessionId, bytes, isSettled });
  }

  #finalize(session: KeptSession, call: () => ReturnType<typeof finalizeDraft>): void {
    const { sessionId, target } = session;
    const attempt = async (): Promise<void> => {
      try {
        const response = await withRetries(this.#deps.retry, call);
        const [written] = response?.results ?? [];
        if (written) this.#reportCommit(sessionId, { ...written, target });
      } catch (error) {
        this.#reportRefusal(session, error);
      }
    };
    this.#finalizing = this.#finalizing.then(attempt);
  }

  #reportRefusal(session: KeptSession, error: unknown): void {
    const { sessionId, target } = session;
    const failure = finalizeFailure(error);
    // The request is shown, and events report its resolution.
    if (failure.kind === 'waits') return;
    // Another writer was first, and its `committed` event says with which content.
    if (failure.stage === 'committed' || this.#outcomes.get(sessionId)?.kind === 'committed') return;
    this.#deps.report(failure.line);
    if (failure.hint !== undefined) this.#deps.report(failure.hint);
    const { line } = failure;
    if (failure.kind === 'invalid') this.#outcomes.set(sessionId, { kind: 'invalid', session, line });
    else this.#outcomes.set(sessionId, { kind: 'failed', exitCode: failure.exitCode });
    if (failure.kind === 'away') {
      this.#deps.report(keptTextLine(target, this.#deps.keptSessions.textPath(sessionId)));
    }
  }

  #reportCommit(sessionId: string, written: Parameters<typeof committedLine>[0]): void {
    if (this.#outcomes.get(sessionId)?.kind === 'committed') return;
    this.#outcomes.set(sessionId, { kind: 'committed' });
    this.#deps.report(committedLine(written));
    // A text that cannot be removed must not cost the turn. `orion write recover` finds that its session has ended.
    const remove = (): Promise<void> => this.#deps.keptSessions.remove(sessionId);
    this.#keeping = this.#keeping.then(remove).catch(() => undefined);
  }

  /** Reports a failure that the turn found, unless this process knows an outcome already. */
  #reportFailure(sessionId: string, line: string, exitCode: ExitCode): void {
    if (this.#outcomes.has(sessionId)) return;
    this.#outcomes.set(sessionId, { kind: 'failed', exitCode });
    this.#deps.report(line);
  }

  #stopCollecting({ isComplete }: { readonly isComplete: boolean }): void {
    this.#idle.stop();
    const open = this.#open;
    this.#open = undefined;
    this.#stopKeeping?.();
    this.#stopKeeping = undefined;
    if (open) this.#keep({ ...open.session, complete: isComplete }, open.content);
  }

  #scheduleKeep(): void {
    this.#stopKeeping ??= this.#deps.after(KEEP_DELAY_MS, () => {
      this.#stopKeeping = undefined;
      if (this.#open) this.#keep(this.#open.session, this.#open.content);
    });
  }

  /**
   * Keeps the text on disk. Errors are ignored, because a full disk must not cost the turn, and the gateway has the
   * text as well.
   */
  #keep(session: KeptSession, content: ContentText): void {
    const { text } = content.read();
    const keep = (): Promise<void> => this.#deps.keptSessions.keep(session, text);
    this.#keeping = this.#keeping.then(keep).catch(() => undefined);
  }
}
