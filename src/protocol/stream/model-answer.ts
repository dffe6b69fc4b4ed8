import type { ModelEnd, StreamOptions } from '../../contracts/payload/turn-activities.ts';
import type { Usage } from '../../contracts/model-message.ts';
import { MOST_CALLS_PER_ANSWER, type ToolCall } from '../../contracts/tool-call.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import type { AdapterEvent } from '../turn/ports.ts';
import { receivedCall } from '../calls/received-call.ts';
import { repetitionDetector, type RepetitionDetector } from './repetition.ts';
import { CHARACTERS_PER_TOKEN, estimateUsage } from './tokens.ts';
import { looksComplete } from '../calls/tool-arguments.ts';
import type { Turn } from '../turn/turn.ts';

/** What one model call came to. */
export interface ModelAnswer {
  readonly text: string;
  /** All calls, merged. */
  readonly calls: readonly ToolCall[];
  /** More calls than an answer may have: none of them is looked at. */
  readonly hasTooManyCalls: boolean;
  /** Undefined when the stream ended without naming a reason. */
  readonly end: ModelEnd | undefined;
}

const isComplete = ({ function: asked }: ToolCall): boolean => looksComplete(asked.name, asked.arguments);

/**
 * The calls whose arguments are proven finished. `length` proves nothing: the last call is open then, and an
 * earlier one is finished only if its arguments show it. Of too many calls none counts.
 */
export const finishedCalls = (answer: ModelAnswer): readonly ToolCall[] => {
  const { calls, end, hasTooManyCalls } = answer;
  if (hasTooManyCalls) return [];
  return end === 'length' ? calls.slice(0, -1).filter(isComplete) : calls;
};

const sizeOf = (calls: readonly ToolCall[]): number =>
  calls.reduce((sum, call) => sum + call.function.name.length + call.function.arguments.length, 0);

/**
 * Reads the events of one model call and says when it is over. It trusts no adapter: limits that the adapter
 * should have kept are checked again here, with the same verdict for one that did keep them.
 */
export class AnswerReader {
  readonly #turn: Turn;
  readonly #options: StreamOptions;
  readonly #repetition: RepetitionDetector | undefined;
  /** Where this call's text begins in the turn's. */
  readonly #from: number;
  #text = '';
  /** All text of the adapter's chunks, shown or held. */
  #received = '';
  /** Text after a call that looks complete: shown only if the call then goes on. */
  #held = '';
  #calls: readonly ToolCall[] = [];
  /** Characters of the calls. */
  #callSize = 0;
  #hasTooManyCalls = false;
  #firstLooksComplete = false;
  #end: ModelEnd | undefined;
  #usage: Usage | undefined;
  #lastEventAt: number | undefined;
  #events = 0;
  #over = false;

  constructor(turn: Turn, options: StreamOptions) {
    this.#turn = turn;
    this.#options = options;
    this.#repetition = repetitionDetector(options);
    this.#from = turn.saidText.length;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Takes one event of the adapter: what it means for the client. */
  take(event: AdapterEvent): TurnEvent[] {
    switch (event.type) {
      case 'chunk':
        return this.#checked(this.#chunk(event.content));
      case 'tool_calls':
        return this.#checked(this.#toolCalls(event));
      case 'done':
        return this.#done(event);
      default:
        event satisfies never;
        return [];
    }
  }

  /** The call is over, be it that the stream said so or that nobody wants to read on. */
  stop(end: ModelEnd | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#end = end;
  }

  /** At the end: `length` proves nothing, so what stood after the call was no text after a complete call. */
  rest(): TurnEvent[] {
    return this.#end === 'length' ? this.#release() : [];
  }

  answer(): ModelAnswer {
    this.#turn.used(this.#usage ?? estimateUsage(this.#streamed));
    const hasTooManyCalls = this.#hasTooManyCalls;
    return { text: this.#text, calls: this.#calls, hasTooManyCalls, end: this.#end };
  }

  get #streamed(): number {
    return this.#text.length + this.#callSize;
  }

  get #awaitsProof(): boolean {
    return this.#options.stopAt === 'first-complete-call' && this.#firstLooksComplete;
  }

  #chunk(content: string): TurnEvent[] {
    if (typeof content !== 'string' || content === '') return [];
    this.#received += content;
    if (!this.#awaitsProof) return this.#say(content);
    this.#held += content;
    return [];
  }

  #toolCalls({ calls: received, unbounded = false }: AdapterEvent & { type: 'tool_calls' }): TurnEvent[] {
    if (!this.#options.tools || !Array.isArray(received) || received.length === 0) return [];
    this.#hasTooManyCalls = !unbounded && received.length > MOST_CALLS_PER_ANSWER;
    const calls = (unbounded ? received : received.slice(0, MOST_CALLS_PER_ANSWER + 1)).map(receivedCall);
    const released = this.#takeCalls(calls) ? this.#release() : [];
    // The next call began after these arguments were finished: proof, and nothing more is wanted.
    const isProven = calls.length > 1 && this.#awaitsProof;
    if (isProven || this.#hasTooManyCalls) this.stop('tool_calls');
    return [...released, { type: 'tool_calls', calls }];
  }

  /** True when the first call is another than before. It is parsed then only, not with every chunk of text. */
  #takeCalls(calls: readonly ToolCall[]): boolean {
    const [before] = this.#calls;
    const [first] = calls;
    this.#calls = calls;
    this.#callSize = sizeOf(calls);
    const isOther =
      before?.function.arguments !== first?.function.arguments ||
      before?.function.name !== first?.function.name;
    if (isOther) this.#firstLooksComplete = first !== undefined && isComplete(first);
    return before?.function.arguments !== first?.function.arguments;
  }

  /** The adapter is through: what it says to have said in all counts, shown or not. */
  #done({ fullContent, finishReason, usage }: AdapterEvent & { type: 'done' }): TurnEvent[] {
    this.#usage = usage;
    const events = typeof fullContent === 'string' && fullContent !== '' ? this.#settle(fullContent) : [];
    this.stop(finishReason);
    return events;
  }

  /**
   * Chunks that are a beginning of the whole text leave a rest, which is shown. Where the two contradict each other
   * nothing that was shown can be taken back: the whole counts from here on, and a trace says so (I4).
   */
  #settle(fullContent: string): TurnEvent[] {
    const received = this.#received;
    if (fullContent === received) return [];
    const { lead } = this.#options;
    const whole = fullContent.startsWith(lead) ? fullContent : lead + fullContent;
    // Text that came in no chunk did not come after the call.
    if (received === '') return this.#say(whole);
    if (fullContent.startsWith(received)) return this.#chunk(fullContent.slice(received.length));
    if (whole.startsWith(received)) return this.#chunk(whole.slice(received.length));
    this.#text = whole;
    this.#held = '';
    this.#turn.restate(this.#from, whole);
    this.#turn.trace({
      type: 'system_error',
      source: 'system',
      summary: 'the adapter ended with another text than its chunks had',
      details: { chunkCharacters: received.length, doneCharacters: fullContent.length },
    });
    return [];
  }

  #release(): TurnEvent[] {
    const held = this.#held;
    this.#held = '';
    return held === '' ? [] : this.#say(held);
  }

  #say(content: string): TurnEvent[] {
    this.#text += content;
    if (this.#repetition?.scan(content) !== undefined) this.stop('repetition');
    return [this.#turn.said(content)];
  }

  /**
   * An adapter that replays a finished call hands over everything at one instant, possibly after the deadline:
   * that must not be cut. Only when time passes between two events is the stream still running.
   */
  #checked(events: TurnEvent[]): TurnEvent[] {
    const now = this.#turn.clock.now();
    const isRunning = this.#lastEventAt !== undefined && now > this.#lastEventAt;
    this.#lastEventAt = now;
    if (isRunning && now >= this.#options.deadline) this.stop('time');
    // Counting events too ends a stream that never says anything.
    this.#events += 1;
    const output = Math.max(this.#streamed, this.#events);
    if (output > this.#options.tokenBudget * CHARACTERS_PER_TOKEN) this.stop('tokens');
    return events;
  }
}
