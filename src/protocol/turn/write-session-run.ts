import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { ContentRef } from '../../contracts/write-session/write-session.ts';
import { WRITE_SESSION_TEXTS } from '../../contracts/write-session/write-session-texts.ts';
import { contentRefOf } from '../../write-session/content-ref.ts';
import { readContent, type WrittenPhase } from '../../write-session/session-text.ts';
import { withoutSeparator } from '../../write-session/text-separator.ts';
import type { AuthorizeCommit } from './commit-decision.ts';
import { runActionPhase } from './model-call.ts';
import type { BegunSession, KeepOutcome, SessionPhase } from '../ports/write-session-port.ts';
import { firstLimit, SHARED_RULES } from './stop-policy.ts';
import { appendModelText } from './tool-report.ts';
import type { Turn } from './turn.ts';
import { countTruncatedCall } from './turn-end.ts';
import { type MeasuredContent, type KeepOrDenial, writeSessionEnd } from './write-session-end.ts';
import {
  COMMIT_REFUSALS,
  contentDueMessage,
  contentRefusedNotice,
  codeFenceLeftOutNotice,
  continueMessage,
} from './write-session-notices.ts';
import type { ModelStopReason } from '../../contracts/model/stream-options.ts';

/** How often the model is asked to go on after a text without an end marker (I5, docs/protocol.md "Invariants"). */
export const MAX_IDLE_PROMPTS = 3;
/** How often the model is asked to continue a text that its provider has cut (`length`). */
export const MAX_CONTINUATIONS = 10;
/** How often the model is asked for other content after content was refused. */
export const MAX_REFUSED_CONTENTS = 2;

const BLANK: KeepOutcome = { kind: 'failed', code: 'validation_failed', reason: 'the content is blank' };

/** Runs the sessions that the last tool phase has begun, in order, before anything else, even a forced answer. */
export const runBegunSessions = async function* (
  turn: Turn,
  authorize: AuthorizeCommit,
): AsyncGenerator<TurnEvent, void, undefined> {
  for (let isFirst = true; ; isFirst = false) {
    const session = turn.takeBegunSession();
    if (session === undefined) return;
    if (!isFirst) turn.addMessage({ role: 'system', content: contentDueMessage(session) });
    yield* new WriteSessionRun(turn, session, authorize).run();
  }
};

/** One write session of a turn: the model's next texts are its file (docs/write-sessions.md "In a turn"). */
class WriteSessionRun {
  readonly #turn: Turn;
  readonly #session: BegunSession;
  readonly #authorize: AuthorizeCommit;
  readonly #messagesBefore: number;
  /** Offset in the turn's text at which the content begins. Undefined until there is content. */
  #offset: number | undefined;
  #phases: SessionPhase[] = [];
  #idlePrompts = 0;
  #continuations = 0;
  #refusedContents = 0;

  constructor(turn: Turn, session: BegunSession, authorize: AuthorizeCommit) {
    this.#turn = turn;
    this.#session = session;
    this.#authorize = authorize;
    this.#messagesBefore = turn.messages.length;
  }

  /** Runs until the file is written, or until nobody in this turn will write it. Throws what the model call threw. */
  async *run(): AsyncGenerator<TurnEvent, void, undefined> {
    yield this.#event('begun', { sha256: '', bytes: 0, lines: 0 });
    for (;;) {
      const phase = yield* this.#writePhase();
      const read = readContent(this.#phases);
      const content = { ...read, contentRef: contentRefOf(read.text) };
      const outcome = yield* this.#keep(content);
      const prompt = 'error' in phase ? undefined : this.#nextPrompt(phase.end, content, outcome);
      if (prompt === undefined) {
        yield* this.#finish(content, outcome);
        if ('error' in phase) throw phase.error;
        return;
      }
      yield* prompt;
    }
  }

  /** Makes a model call, unless the turn must stop (limits of tools do not count). Its text counts however it ends. */
  async *#writePhase(): AsyncGenerator<
    TurnEvent,
    { readonly end: WrittenPhase['end'] } | { readonly error: unknown },
    undefined
  > {
    const turn = this.#turn;
    if (turn.interrupts.isWaiting) turn.interrupts.noteWorkEnded();
    if (turn.isCancelled || turn.interrupts.isWaiting || firstLimit(SHARED_RULES, turn.meter.stopFacts)) {
      return { end: 'cut' };
    }
    const { separator } = turn;
    const before = turn.fullContent.length;
    const writeSession = { sessionId: this.#session.sessionId };
    try {
      const answer = yield* runActionPhase(turn, { stopAt: 'end', tools: false, writeSession });
      countTruncatedCall(turn, answer.end);
      if (answer.end === 'steered') turn.interrupts.noteWorkEnded();
      const end = turn.isCancelled ? 'cut' : phaseEndOf(answer.end);
      this.#addPhase(before, separator, end);
      return { end };
    } catch (error) {
      this.#addPhase(before, separator, 'cut');
      return { error };
    }
  }

  #addPhase(before: number, separator: string, end: WrittenPhase['end']): void {
    const said = this.#turn.fullContent.slice(before);
    const text = withoutSeparator(said, separator);
    if (text === '') return;
    const skip = said.length - text.length;
    this.#offset ??= before + skip;
    this.#phases.push({ text, end, step: this.#turn.meter.counters.modelCalls, skip });
    appendModelText(this.#turn, text);
  }

  /** Keeps the text so far, and commits it if it is complete and allowed. Returns undefined if it kept nothing. */
  async *#keep(content: MeasuredContent): AsyncGenerator<TurnEvent, KeepOrDenial | undefined, undefined> {
    const isComplete = content.end === 'complete';
    if (isComplete) yield this.#event('content_complete', content.contentRef);
    if (content.wasInCodeFence) yield this.#turn.addNotice(codeFenceLeftOutNotice(this.#session));
    if (content.text.trim() === '') return isComplete ? BLANK : undefined;
    const [turn, session] = [this.#turn, this.#session];
    const port = turn.context.writeSessions;
    const writtenSession = { session, phases: this.#phases, content: content.contentRef };
    if (!isComplete || !session.beginCall) return port?.keep({ ...writtenSession, isComplete });
    const draft = await port?.keep({ ...writtenSession, isComplete: false });
    if (draft?.kind !== 'kept') return draft;
    const decision = yield* this.#authorize(turn, session, content.contentRef);
    if (decision.kind !== 'authorized') return decision;
    return port?.keep({ ...writtenSession, isComplete, approval: decision.approval });
  }

  /** Asks the model for more or other content, and returns the events. Returns undefined if the session is over. */
  #nextPrompt(
    end: WrittenPhase['end'],
    content: MeasuredContent,
    outcome: KeepOrDenial | undefined,
  ): TurnEvent[] | undefined {
    if (this.#turn.isCancelled || outcome?.kind === 'denied') return undefined;
    if (outcome?.kind === 'failed') return this.#askAgain(content, outcome);
    if (outcome?.kind === 'committed' || content.end === 'complete') return undefined;
    if (end === 'ended' && this.#idlePrompts < MAX_IDLE_PROMPTS) {
      this.#idlePrompts += 1;
      return this.#promptModel(WRITE_SESSION_TEXTS.idlePrompt);
    }
    if (end === 'length' && this.#continuations < MAX_CONTINUATIONS) {
      this.#continuations += 1;
      return this.#promptModel(continueMessage(content.text));
    }
    return undefined;
  }

  #askAgain(
    { contentRef }: MeasuredContent,
    { code, reason }: KeepOutcome & { kind: 'failed' },
  ): TurnEvent[] | undefined {
    if (code !== 'validation_failed' || this.#refusedContents >= MAX_REFUSED_CONTENTS) return undefined;
    this.#refusedContents += 1;
    this.#phases = [];
    return [this.#event('failed', contentRef, reason), this.#turn.addNotice(contentRefusedNotice(reason))];
  }

  #promptModel(content: string): TurnEvent[] {
    this.#turn.addMessage({ role: 'system', content });
    return [];
  }

  /** Ends the session for this turn. From now on prompts have a line in the place of the session's text. */
  async *#finish(
    content: MeasuredContent,
    kept: KeepOrDenial | undefined,
  ): AsyncGenerator<TurnEvent, void, undefined> {
    const turn = this.#turn;
    const outcome = await this.#settleUnwritten(kept);
    const { line, event, notice, message } = writeSessionEnd(this.#session, content, outcome, turn);
    this.#replace(content.remark === '' ? line : `${line}\n\n${content.remark}`);
    if (event) yield this.#event(event.stage, event.content, event.error);
    if (notice) yield turn.addNotice(notice);
    if (message !== undefined) this.#promptModel(message);
  }

  /** Ends an unwritten session whose commit needed an approval, since nothing else can write it any longer. */
  async #settleUnwritten(outcome: KeepOrDenial | undefined): Promise<KeepOrDenial | undefined> {
    const port = this.#turn.context.writeSessions;
    if (!port || !this.#session.beginCall || outcome?.kind === 'committed') return outcome;
    const ended = await port.withdraw(this.#session);
    if (ended) return ended;
    if (outcome && outcome.kind !== 'kept') return outcome;
    const { turnCancelled, noEnd } = COMMIT_REFUSALS;
    return { kind: 'denied', reason: this.#turn.isCancelled ? turnCancelled : noEnd };
  }

  #replace(line: string): void {
    const turn = this.#turn;
    // The line below stands for everything that the session has added to the prompt.
    turn.removeMessagesFrom(this.#messagesBefore);
    if (this.#offset === undefined) return;
    turn.addMessage({ role: 'assistant', content: line });
    turn.context.writeSessions?.noteReplaced({ from: this.#offset, to: turn.fullContent.length, line });
  }

  #event(
    stage: (TurnEvent & { type: 'write_session' })['stage'],
    { sha256, bytes, lines }: ContentRef,
    error?: string,
  ): TurnEvent {
    const { sessionId, target } = this.#session;
    const fields = { sessionId, stage, target, bytes, lines, sha256 };
    return { type: 'write_session', ...fields, ...(error !== undefined && { error }) };
  }
}

const phaseEndOf = (end: ModelStopReason | undefined): WrittenPhase['end'] => {
  if (end === 'length') return 'length';
  return end === undefined || end === 'stop' || end === 'tool_calls' ? 'ended' : 'cut';
};
