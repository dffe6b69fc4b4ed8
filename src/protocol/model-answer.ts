import type { ModelEnd, StreamOptions } from '../contracts/model-call.ts';
import type { Usage } from '../contracts/model-message.ts';
import type { ToolCall } from '../contracts/tool-call.ts';
import type { TurnEvent } from '../contracts/turn-event.ts';
import type { AdapterEvent } from './ports.ts';
import { receivedCall } from './received-call.ts';
import { repetitionDetector, type RepetitionDetector } from './repetition.ts';
import { CHARACTERS_PER_TOKEN, estimateUsage } from './tokens.ts';
import { looksComplete } from './tool-arguments.ts';
import type { Turn } from './turn.ts';

/** What one model call came to. */
export interface ModelAnswer {
  readonly text: string;
  /** All calls, merged. */
  readonly calls: readonly ToolCall[];
  /** Undefined when the stream ended without naming a reason. */
  readonly end: ModelEnd | undefined;
}

const isComplete = ({ function: asked }: ToolCall): boolean => looksComplete(asked.name, asked.arguments);

/**
 * The calls whose arguments are proven finished. `length` proves nothing: the last call is open then, and an
 * earlier one is finished only if its arguments show it (protocol.md "Complete call").
 */
export const finishedCalls = ({ calls, end }: ModelAnswer): readonly ToolCall[] =>
  end === 'length' ? calls.slice(0, -1).filter(isComplete) : calls;

const firstLooksComplete = ([first]: readonly ToolCall[]): boolean =>
  first !== undefined && isComplete(first);

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
  #text = '';
  /** Text after a call that looks complete: shown only if the call then goes on. */
  #held = '';
  #calls: readonly ToolCall[] = [];
  #end: ModelEnd | undefined;
  #usage: Usage | undefined;
  #lastEventAt: number | undefined;
  #events = 0;
  #over = false;

  constructor(turn: Turn, options: StreamOptions) {
    this.#turn = turn;
    this.#options = options;
    this.#repetition = repetitionDetector(options);
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
        return this.#checked(this.#toolCalls(event.calls));
      case 'done':
        this.#usage = event.usage;
        this.stop(event.finishReason);
        return [];
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
    return { text: this.#text, calls: this.#calls, end: this.#end };
  }

  get #streamed(): number {
    return this.#text.length + sizeOf(this.#calls);
  }

  get #awaitsProof(): boolean {
    return this.#options.stopAt === 'first-complete-call' && firstLooksComplete(this.#calls);
  }

  #chunk(content: string): TurnEvent[] {
    if (typeof content !== 'string' || content === '') return [];
    if (!this.#awaitsProof) return this.#say(content);
    this.#held += content;
    return [];
  }

  #toolCalls(received: readonly unknown[]): TurnEvent[] {
    if (!this.#options.tools || !Array.isArray(received) || received.length === 0) return [];
    const calls = received.map(receivedCall);
    const goesOn = this.#calls[0]?.function.arguments !== calls[0]?.function.arguments;
    const released = goesOn ? this.#release() : [];
    this.#calls = calls;
    // The next call began after these arguments were finished: proof, and nothing more is wanted.
    if (calls.length > 1 && this.#awaitsProof) this.stop('tool_calls');
    return [...released, { type: 'tool_calls', calls }];
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
