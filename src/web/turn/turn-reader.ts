/** Reads the native stream of a turn to its end, over every cut (docs/http-api.md "Resuming"). */
import { createParser } from 'eventsource-parser';
import type { ToolOutput } from '../../contracts/wire/tool-output.ts';
import type { TurnEvent } from '../../contracts/wire/turn-event.ts';
import { type Failure, failureOf } from '../server/gateway-request.ts';
import type { ArrivedEvent } from './surviving-events.ts';

export interface ReadTurnOptions {
  readonly turnId: string;
  /** Id to resume after. */
  readonly after: string | null;
  readonly signal: AbortSignal;
  /** Events in their order, those that came together in one call. */
  readonly onEvents: (events: readonly ArrivedEvent[]) => void;
  /** What a command says while it runs: once, to whoever reads along. */
  readonly onOutput: (output: ToolOutput) => void;
  /** The stream was cut, and is asked for again. */
  readonly onCut: () => void;
}

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 8_000;
/** Asked again later these may be answered; anything else is for good. */
const PASSING = new Set<Failure['code']>([
  'unreachable',
  'rate_limited',
  'too_many_streams',
  'overloaded',
  'temporal_unavailable',
  'database_unavailable',
  'request_timeout',
]);

/** Resolves once the turn has ended and all of it was handed over, with why not if that cannot be. */
export const readTurn = async (options: ReadTurnOptions): Promise<Failure | undefined> => {
  const { signal } = options;
  let after = options.after;
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const read = await readStream(options, after);
    if (read.lastId !== after) pause = FIRST_PAUSE_MS;
    after = read.lastId;
    if (read.isOver || signal.aborted) return undefined;
    if (read.failure && !PASSING.has(read.failure.code)) return read.failure;
    options.onCut();
    await waitFor(Math.max(pause, read.failure?.retryAfterMs ?? 0), signal);
    pause = Math.min(pause * 2, MAX_PAUSE_MS);
  }
  return undefined;
};

interface ReadOutcome {
  readonly lastId: string | null;
  readonly isOver: boolean;
  readonly failure?: Failure;
}

const readStream = async (
  { turnId, signal, onEvents, onOutput }: ReadTurnOptions,
  after: string | null,
): Promise<ReadOutcome> => {
  let lastId = after;
  let isOver = false;
  let arrived: ArrivedEvent[] = [];
  const parser = createParser({
    onEvent: ({ id, data }) => {
      const event = JSON.parse(data) as TurnEvent | ToolOutput;
      if (event.type === 'tool_output') return onOutput(event);
      if (id === undefined) return undefined;
      arrived.push({ id, event });
      lastId = id;
      isOver ||= event.type === 'done' || event.type === 'error';
      return undefined;
    },
  });
  try {
    const headers: HeadersInit = after === null ? {} : { 'Last-Event-ID': after };
    const response = await fetch(`/api/turns/${encodeURIComponent(turnId)}/events`, { headers, signal });
    if (response.status === 204) return { lastId, isOver: true };
    if (!response.ok || !response.body) return { lastId, isOver, failure: await failureOf(response) };
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parser.feed(part.value);
      if (arrived.length > 0) onEvents(arrived);
      arrived = [];
    }
  } catch {
    // Cut, or left: what has come counts.
  }
  return { lastId, isOver };
};

/** Ends early when this page is left, or the machine has a network again. */
const waitFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      removeEventListener('online', end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    addEventListener('online', end);
    signal.addEventListener('abort', end);
  });
