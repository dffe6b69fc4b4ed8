import type { ToolOutput } from '../../contracts/wire/tool-output.ts';
import type { Failure } from '../http/gateway-request.ts';
import { addEvents, type ReceivedEvent, type ReceivedTurn } from './received-turn.ts';
import { addOutput, emptyOutput, outputOfOpenCalls, type RunningOutput } from './running-output.ts';
import { streamTurn } from './stream-turn.ts';

/**
 * A turn that is being read. `isDisconnected` is true while its stream is cut or cannot be opened, until events or
 * output come again. `failure` is the reason why the turn cannot be read.
 */
export interface StreamedTurn {
  readonly received: ReceivedTurn;
  /** The output of running commands, as far as it came while the page was reading. */
  readonly output: RunningOutput;
  readonly isDisconnected: boolean;
  readonly failure: Failure | undefined;
}

/** The fields of a turn that have changed. `failure` is absent until the turn turns out to be unreadable. */
type StreamedTurnChange = Omit<StreamedTurn, 'failure'> & Partial<Pick<StreamedTurn, 'failure'>>;

interface TurnStreamReaderOptions {
  readonly turnId: string;
  /** What an earlier reader of the turn has received. Reading resumes after it. */
  readonly received: ReceivedTurn;
  /** Called when there is something new to render. */
  readonly onChange: (change: StreamedTurnChange) => void;
}

/** Time in milliseconds during which events are collected, to be rendered together. */
const DRAW_MS = 30;

/** Reads the events of one turn until it has ended, and reports them in steps that are worth rendering. */
export class TurnStreamReader {
  readonly #options: TurnStreamReaderOptions;
  readonly #stopped = new AbortController();
  #received: ReceivedTurn;
  #output = emptyOutput;
  /** Events that are not reported yet. */
  #waiting: readonly ReceivedEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: TurnStreamReaderOptions) {
    this.#options = options;
    this.#received = options.received;
  }

  /** Reads until the turn has ended, cannot be read, or `stop` is called. Never rejects. */
  async read(): Promise<void> {
    const { signal } = this.#stopped;
    const failure = await streamTurn({
      turnId: this.#options.turnId,
      after: this.#received.lastId,
      signal,
      onEvents: (events) => this.#addEvents(events),
      onOutput: (output) => this.#addOutput(output),
      onCut: () => this.#report({ isDisconnected: true }),
    });
    if (!signal.aborted) this.#report({ failure, isDisconnected: false });
  }

  /** Ends the reading. Events that were not reported yet are dropped; the next reader gets them again. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#stopped.abort();
  }

  #addEvents(events: readonly ReceivedEvent[]): void {
    this.#waiting = this.#waiting.concat(events);
    this.#reportSoon();
  }

  #addOutput(output: ToolOutput): void {
    this.#output = addOutput(this.#output, output);
    this.#reportSoon();
  }

  #reportSoon(): void {
    this.#timer ??= setTimeout(() => this.#report({ isDisconnected: false }), DRAW_MS);
  }

  #report(state: Pick<StreamedTurnChange, 'isDisconnected' | 'failure'>): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#received = addEvents(this.#received, this.#waiting);
    this.#waiting = [];
    this.#output = outputOfOpenCalls(this.#output, this.#received.view.entries);
    this.#options.onChange({ received: this.#received, output: this.#output, ...state });
  }
}
