import { useEffect, useRef, useState } from 'react';
import type { ToolOutput } from '../../contracts/wire/tool-output.ts';
import type { Failure } from '../http/gateway-request.ts';
import { streamTurn } from './stream-turn.ts';
import { addOutput, type RunningOutput, emptyOutput, outputOfOpenCalls } from './running-output.ts';
import { nothingReceived, addEvents, type ReceivedEvent, type ReceivedTurn } from './received-turn.ts';

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

/** Time in milliseconds during which events are collected, to be rendered together. */
const DRAW_MS = 30;

const NOTHING: StreamedTurn = {
  received: nothingReceived,
  output: emptyOutput,
  isDisconnected: false,
  failure: undefined,
};

/**
 * Reads the events of a turn until it has ended or the component is removed. Reads nothing while `turnId` is undefined.
 * For another turn the component must be mounted anew, because the events of the first turn stay.
 */
export const useTurn = (turnId: string | undefined): StreamedTurn => {
  const [turn, setTurn] = useState(NOTHING);
  // The events outlive the effect, which resumes after its last event when it runs again.
  const received = useRef(nothingReceived);
  useEffect(() => {
    if (turnId === undefined) return undefined;
    const left = new AbortController();
    let waiting: ReceivedEvent[] = [];
    let output = emptyOutput;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = (more: Partial<StreamedTurn> = {}): void => {
      clearTimeout(timer);
      timer = undefined;
      received.current = addEvents(received.current, waiting);
      waiting = [];
      output = outputOfOpenCalls(output, received.current.view.entries);
      setTurn((before) => ({ ...before, received: received.current, output, ...more }));
    };
    const drawSoon = (): void => void (timer ??= setTimeout(() => draw({ isDisconnected: false }), DRAW_MS));
    const onEvents = (events: readonly ReceivedEvent[]): void => {
      waiting = waiting.concat(events);
      drawSoon();
    };
    const onOutput = (said: ToolOutput): void => {
      output = addOutput(output, said);
      drawSoon();
    };
    const options = { turnId, after: received.current.lastId, signal: left.signal, onEvents, onOutput };
    const follow = async (): Promise<void> => {
      const failure = await streamTurn({ ...options, onCut: () => draw({ isDisconnected: true }) });
      if (!left.signal.aborted) draw({ failure, isDisconnected: false });
    };
    void follow();
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [turnId]);
  return turn;
};
