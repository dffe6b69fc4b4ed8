import { useEffect, useRef, useState } from 'react';
import type { ToolOutput } from '../../contracts/wire/tool-output.ts';
import type { Failure } from '../server/gateway-request.ts';
import { readTurn } from './turn-reader.ts';
import { addOutput, type RunningOutput, noOutput, outputOfRunning } from './running-output.ts';
import { emptyLog, takeEvents, type ArrivedEvent, type SurvivingEvents } from './surviving-events.ts';

/** A turn that is being read. `isCut`: its stream is requested again; `failure`: it cannot be read. */
export interface TurnOnPage {
  readonly log: SurvivingEvents;
  /** The output of the running commands since the page reads along. */
  readonly output: RunningOutput;
  readonly isCut: boolean;
  readonly failure: Failure | undefined;
}

/** Milliseconds within which events are drawn together. */
const DRAW_MS = 30;

const NOTHING: TurnOnPage = { log: emptyLog, output: noOutput, isCut: false, failure: undefined };

/** Reads the events of a turn for as long as the component is mounted. Undefined: nothing is read yet. */
export const useTurn = (turnId: string | undefined): TurnOnPage => {
  const [turn, setTurn] = useState(NOTHING);
  const log = useRef(emptyLog);
  useEffect(() => {
    if (turnId === undefined) return undefined;
    const left = new AbortController();
    let waiting: ArrivedEvent[] = [];
    let output = noOutput;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = (more: Partial<TurnOnPage> = {}): void => {
      clearTimeout(timer);
      timer = undefined;
      log.current = takeEvents(log.current, waiting);
      waiting = [];
      output = outputOfRunning(output, log.current.view.entries);
      setTurn((before) => ({ ...before, log: log.current, output, ...more }));
    };
    const drawSoon = (): void => void (timer ??= setTimeout(() => draw({ isCut: false }), DRAW_MS));
    const onEvents = (events: readonly ArrivedEvent[]): void => {
      waiting = waiting.concat(events);
      drawSoon();
    };
    const onOutput = (said: ToolOutput): void => {
      output = addOutput(output, said);
      drawSoon();
    };
    const options = { turnId, after: log.current.lastId, signal: left.signal, onEvents, onOutput };
    const follow = async (): Promise<void> => {
      const failure = await readTurn({ ...options, onCut: () => draw({ isCut: true }) });
      if (!left.signal.aborted) draw({ failure, isCut: false });
    };
    void follow();
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [turnId]);
  return turn;
};
