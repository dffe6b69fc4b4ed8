import type { Budgets } from '../../contracts/turn/budgets.ts';
import type { ModelMessage, TokenUsage } from '../../contracts/model/model-message.ts';
import type { DoneReason, TurnEvent } from '../../contracts/wire/turn-event.ts';
import { CallHistory, type RepeatPermission } from '../calls/call-history.ts';
import { Allowances } from './allowances.ts';
import type { ProtocolExecutionContext } from './execution-context.ts';
import type { NoticeText } from './notices.ts';
import { type TurnGrant, type GrantedBudgets, grantMore, initialGrants } from './grant.ts';
import type { BegunSession } from '../ports/write-session-port.ts';
import type { PollComparison } from '../ports/tool-executor.ts';
import type { TraceEntry } from '../ports/trace-service.ts';
import type { WallClock } from '../ports/wall-clock.ts';
import { type TurnCounters, createCounters, type StopInput } from './stop-policy.ts';
import { TurnPhases } from './turn-phases.ts';
import { ReportedResults } from './reported-results.ts';
import { separatorAfter } from '../../write-session/text-separator.ts';
import { addUsage } from '../stream/token-usage.ts';

/** Milliseconds that a forced answer has when the turn's own time is over (docs/protocol.md "What counts"). */
const FORCED_ANSWER_MS = 60_000;

/** The clock of a turn that was given none. No time passes on it, so no time limit is reached. */
const STOPPED_CLOCK: WallClock = { now: () => 0 };

/**
 * The state of one turn. `phases.open`, `addNotice` and `finish` change it and return the event that tells of the
 * change, so the caller must yield that event at once. Numbers such as I4 are those of docs/protocol.md "Invariants".
 */
export class Turn {
  readonly context: ProtocolExecutionContext;
  readonly toolResultRole: 'tool' | 'system';
  readonly results = new ReportedResults();
  readonly allowances = new Allowances();
  readonly clock: WallClock;
  readonly phases: TurnPhases;
  readonly #counters = createCounters();
  readonly #messages: ModelMessage[];
  /** Write sessions that wait for their content. */
  readonly #begunSessions: BegunSession[] = [];
  #wasSteeredAway = false;
  #history = new CallHistory();
  #granted: GrantedBudgets;
  /** When the turn started, in milliseconds of its clock, plus the time that it has waited for people since. */
  #startedAt: number;
  #usage: TokenUsage = { promptTokens: 0, completionTokens: 0 };
  #fullContent = '';

  constructor(context: ProtocolExecutionContext) {
    this.context = context;
    this.#granted = initialGrants(context.config);
    this.toolResultRole = context.config.toolResultRole;
    this.phases = new TurnPhases(context, this.#counters);
    this.#messages = [...context.messages];
    this.clock = context.clock ?? STOPPED_CLOCK;
    this.#startedAt = this.clock.now();
  }

  get isCancelled(): boolean {
    return this.context.cancellation?.isRequested === true;
  }

  /** True when a message of the user waits that is to be read before anything else begins. */
  get hasInterrupt(): boolean {
    return this.context.steers?.hasInterrupt === true;
  }

  /** True when work of the turn was ended, or not begun, for a message that the model has not read yet. */
  get wasSteeredAway(): boolean {
    return this.#wasSteeredAway;
  }

  /** Notes that work was ended, or not begun, so that the model reads a message of the user first. */
  noteSteeredAway(): void {
    this.#wasSteeredAway = true;
  }

  /** Notes that the model is given the messages for which work was ended or not begun. */
  noteSteersRead(): void {
    this.#wasSteeredAway = false;
  }

  /** The messages of the next model call. */
  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  addMessage(message: ModelMessage): void {
    this.#messages.push(message);
  }

  /** Removes the messages from this index on. */
  removeMessagesFrom(index: number): void {
    this.#messages.splice(index);
  }

  /** Adds a write session that waits for its content. */
  addBegunSession(session: BegunSession): void {
    this.#begunSessions.push(session);
  }

  /** Returns the first of the write sessions that wait, which then no longer waits. Returns undefined if none waits. */
  takeBegunSession(): BegunSession | undefined {
    return this.#begunSessions.shift();
  }

  get counters(): Readonly<TurnCounters> {
    return this.#counters;
  }

  /** Raises a counter by `by`, which is not negative (I7). */
  count(counter: Exclude<keyof TurnCounters, 'idlePointsCleared'>, by = 1): void {
    this.#counters[counter] += by;
  }

  /** Notes that the turn has made progress: idle points so far no longer count. */
  clearIdlePoints(): void {
    this.#counters.idlePointsCleared = this.#counters.idlePoints;
  }

  /** The tool calls of this turn since the last `forgetCalls`. */
  get history(): CallHistory {
    return this.#history;
  }

  /** Returns why a call may run now. Returns undefined if it is a duplicate. */
  permissionFor(signature: string, pollComparison?: PollComparison): RepeatPermission | undefined {
    const isLeftOut = this.results.mayReadAgain(signature);
    return this.#history.permissionFor(signature, { pollComparison, isLeftOut });
  }

  /** Forgets all calls: from here on no call repeats an earlier one. */
  forgetCalls(): void {
    this.#history = new CallHistory();
  }

  /** The turn's budgets, with what was granted beyond them. */
  get budgets(): Budgets {
    return this.#granted.budgets;
  }

  get stopInput(): StopInput {
    return this.#stopInputOf(this.#granted);
  }

  /** Returns what `stopInput` would be after this grant, and changes nothing. */
  stopInputAfter(grant: TurnGrant): StopInput {
    return this.#stopInputOf(this.#after(grant));
  }

  /** Gives the turn a grant. */
  grant(grant: TurnGrant): void {
    this.#granted = this.#after(grant);
  }

  /** Number of tokens that the model may still write in this turn. Tokens of prompts do not count. */
  get tokensLeft(): number {
    return Math.max(0, this.budgets.maxTurnTokens - this.counters.tokens);
  }

  /** The separator before the model's next text, so that two answers are not glued together in `fullContent`. */
  get lead(): string {
    return separatorAfter(this.#fullContent);
  }

  /** All text of the model so far, which is the `fullContent` of the turn. */
  get modelText(): string {
    return this.#fullContent;
  }

  /**
   * Returns the time at which the next call must be over, by the turn's clock. `isForcedAnswer` is true for a model
   * call that may continue after the turn's time has run out: it then gets `FORCED_ANSWER_MS` from now. Without a clock
   * there is no deadline (`MAX_SAFE_INTEGER`).
   */
  deadline({ isForcedAnswer = false } = {}): number {
    if (this.context.clock === undefined) return Number.MAX_SAFE_INTEGER;
    return isForcedAnswer && this.isOutOfTime ? this.clock.now() + FORCED_ANSWER_MS : this.#deadline;
  }

  /** True when the turn's own time is over, or has cut a model call off since the latest grant of time. */
  get isOutOfTime(): boolean {
    return (
      this.counters.timeCuts > this.#granted.countersAtGrant.timeCuts || this.clock.now() >= this.#deadline
    );
  }

  /** Excludes milliseconds during which the turn waited for a person. They do not count as its time (I10). */
  excludeWaiting(ms: number): void {
    this.#startedAt += ms;
  }

  /** Adds text of the model that was shown (I4). */
  addText(content: string): void {
    this.#fullContent += content;
  }

  /** Tells the model, if the notice has a text for it, and returns the event that tells the user. */
  addNotice({ notice, system, chunk }: NoticeText): TurnEvent {
    if (system !== undefined) this.addMessage({ role: 'system', content: system });
    return { type: 'chunk', content: chunk, notice };
  }

  addUsage(usage: TokenUsage): void {
    this.#usage = addUsage(this.#usage, usage);
    this.count('tokens', usage.completionTokens);
  }

  /** Returns the terminal event of a turn that no error has ended (I1). */
  finish(reason: DoneReason): TurnEvent {
    this.phases.close();
    this.trace({ type: 'orion_response', source: 'orion', summary: reason, details: this.#fullContent });
    return {
      type: 'done',
      fullContent: this.#fullContent,
      status: reason === 'cancelled' ? 'cancelled' : 'completed',
      reason,
      usage: this.#usage,
    };
  }

  /** Records a trace, as `phases.trace` does. */
  trace(entry: TraceEntry): void {
    this.phases.trace(entry);
  }

  get #deadline(): number {
    return this.#startedAt + this.budgets.maxTurnMs;
  }

  #after(grant: TurnGrant): GrantedBudgets {
    return grantMore(this.#granted, this.counters, this.context.config, grant);
  }

  #stopInputOf({ budgets, countersAtGrant }: GrantedBudgets): StopInput {
    return {
      counters: this.counters,
      countersAtGrant,
      budgets,
      elapsedMs: this.clock.now() - this.#startedAt,
    };
  }
}
