import type { ModelMessage, TokenUsage } from '../../contracts/model/model-message.ts';
import type { DoneReason, TurnEvent } from '../../contracts/wire/turn-event.ts';
import { CallHistory, type RepeatPermission } from '../calls/call-history.ts';
import type { ProtocolExecutionContext } from './execution-context.ts';
import type { NoticeText } from './notices.ts';
import type { BegunSession } from '../ports/write-session-port.ts';
import type { PollComparison } from '../ports/tool-executor.ts';
import type { TraceFields } from '../ports/trace-service.ts';
import type { WallClock } from '../ports/wall-clock.ts';
import { TurnInterrupts } from './turn-interrupts.ts';
import { TurnMeter } from './turn-meter.ts';
import { TurnPhases } from './turn-phases.ts';
import { ReportedResults } from './reported-results.ts';
import { separatorAfter } from '../../write-session/text-separator.ts';
import { addUsage } from '../stream/token-usage.ts';

/**
 * The state of one turn. `phases.open`, `addNotice` and `finish` change it and return the event that tells of the
 * change, so the caller must yield that event at once. Numbers such as I4 are those of docs/protocol.md "Invariants".
 */
export class Turn {
  readonly context: ProtocolExecutionContext;
  readonly toolResultRole: 'tool' | 'system';
  readonly results = new ReportedResults();
  readonly meter: TurnMeter;
  readonly phases: TurnPhases;
  readonly interrupts: TurnInterrupts;
  readonly #messages: ModelMessage[];
  /** The tools that a person has allowed for the rest of the turn, each with the id of the request that asked. */
  readonly #allowances = new Map<string, string>();
  /** Write sessions that wait for their content. */
  readonly #begunSessions: BegunSession[] = [];
  #history = new CallHistory();
  #usage: TokenUsage = { promptTokens: 0, completionTokens: 0 };
  #fullContent = '';

  constructor(context: ProtocolExecutionContext) {
    this.context = context;
    this.toolResultRole = context.config.toolResultRole;
    this.meter = new TurnMeter(context);
    this.phases = new TurnPhases(context, this.meter.counters);
    this.interrupts = new TurnInterrupts(context);
    this.#messages = [...context.messages];
  }

  /** The turn's clock. No time passes on it if the turn was given none. */
  get clock(): WallClock {
    return this.meter.clock;
  }

  /** True when the user has cancelled the turn. Read between port calls, since it may change while one runs. */
  get isCancelled(): boolean {
    return this.context.cancellation?.isRequested === true;
  }

  /** The messages of the next model call. */
  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  /** Adds a message, which this turn's model calls are sent from now on until it is removed. */
  addMessage(message: ModelMessage): void {
    this.#messages.push(message);
  }

  /** Removes the messages from this index on. */
  removeMessagesFrom(index: number): void {
    this.#messages.splice(index);
  }

  /**
   * Adds a write session that a tool call has begun. The model's next text is its content, unless other sessions were
   * added before.
   */
  addBegunSession(session: BegunSession): void {
    this.#begunSessions.push(session);
  }

  /** Returns the first of the write sessions that wait, which then no longer waits. Returns undefined if none waits. */
  takeBegunSession(): BegunSession | undefined {
    return this.#begunSessions.shift();
  }

  /** Allows a tool for the rest of the turn (I8). `inputId` is the id of the request whose reply allowed it. */
  allowTool(tool: string, inputId: string): void {
    this.#allowances.set(tool, inputId);
  }

  /**
   * Returns the id of the request whose reply allowed a tool for the rest of the turn. Returns undefined if none did.
   */
  allowanceFor(tool: string): string | undefined {
    return this.#allowances.get(tool);
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

  /** The separator before the model's next text, so that two answers are not glued together in `fullContent`. */
  get separator(): string {
    return separatorAfter(this.#fullContent);
  }

  /** All text of the model that was shown so far: the chunks that are no notices, one after the other (I4). */
  get fullContent(): string {
    return this.#fullContent;
  }

  /** Adds text of the model that was shown (I4). */
  addContent(content: string): void {
    this.#fullContent += content;
  }

  /** Tells the model, if the notice has a text for it, and returns the event that tells the user. */
  addNotice({ notice, system, chunk }: NoticeText): TurnEvent {
    if (system !== undefined) this.addMessage({ role: 'system', content: system });
    return { type: 'chunk', content: chunk, notice };
  }

  /** Adds the tokens of one model call. The completion tokens count against the budget of the turn. */
  addUsage(usage: TokenUsage): void {
    this.#usage = addUsage(this.#usage, usage);
    this.meter.count('tokens', usage.completionTokens);
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
  trace(fields: TraceFields): void {
    this.phases.trace(fields);
  }
}
