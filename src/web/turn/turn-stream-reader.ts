import type { ToolOutput } from '../../contracts/wire/tool-output.ts';
import type { Failure } from '../http/request-failure.ts';
import { addEvents, type ReceivedEvent, type ReceivedTurn } from './received-turn.ts';
import { addOutput, EMPTY_OUTPUT, outputOfOpenCalls, type RunningOutput } from './running-output.ts';
import type { EventId } from '../../contracts/wire/event-id.ts';

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

/** How the stream of a turn is to be read. */
export interface StreamTurnOptions {
  readonly turnId: string;
  /** Id of the event to resume after. Null means from the beginning. */
  readonly after: EventId | null;
  readonly signal: AbortSignal;
  /** Called with events in their order. Events that arrive together come in one call. */
  readonly onEvents: (events: readonly ReceivedEvent[]) => void;
  /** Called with the output of a running command. A stream that is resumed does not repeat it. */
  readonly onOutput: (output: ToolOutput) => void;
  /** Called before the stream is requested again, because it was cut or could not be opened. */
  readonly onCut: () => void;
}

interface TurnStreamReaderDeps {
  /** Reads the stream until the turn has ended, cannot be read, or the signal aborts (`streamTurn`). */
  readonly stream: (options: StreamTurnOptions) => Promise<Failure | undefined>;
  readonly turnId: string;
  /** What an earlier reader of the turn has received. Reading resumes after it. */
  readonly received: ReceivedTurn;
  /** Called when there is something new to render. */
  readonly onChange: (change: StreamedTurnChange) => void;
}

/** Time in milliseconds during which events are collected, to be rendered together. */
const COLLECT_MS = 30;

/** Reads the events of one turn until it has ended, and reports them in steps that are worth rendering. */
export class TurnStreamReader {
  readonly #deps: TurnStreamReaderDeps;
  readonly #stopped = new AbortController();
  #received: ReceivedTurn;
  #output = EMPTY_OUTPUT;
  /** Events that have come since the last report. */
  #unreported: readonly ReceivedEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: TurnStreamReaderDeps) {
    this.#deps = deps;
    this.#received = deps.received;
  }

  /** Reads until the turn has ended, cannot be read, or `stop` is called. Never rejects. */
  async read(): Promise<void> {
    const { signal } = this.#stopped;
    const failure = await this.#deps.stream({
      turnId: this.#deps.turnId,
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
    this.#unreported = this.#unreported.concat(events);
    this.#reportSoon();
  }

  #addOutput(output: ToolOutput): void {
    this.#output = addOutput(this.#output, output);
    this.#reportSoon();
  }

  #reportSoon(): void {
    this.#timer ??= setTimeout(() => this.#report({ isDisconnected: false }), COLLECT_MS);
  }

  #report(state: Pick<StreamedTurnChange, 'isDisconnected' | 'failure'>): void {
    // Events may arrive in the moment of the stop. A later reader may have reported more of the turn by now.
    if (this.#stopped.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#received = addEvents(this.#received, this.#unreported);
    this.#unreported = [];
    this.#output = outputOfOpenCalls(this.#output, this.#received.view.entries);
    this.#deps.onChange({ received: this.#received, output: this.#output, ...state });
  }
}
