import { useEffect, useRef, useState } from 'react';
import type { Failure } from '../server/requests.ts';
import { readTurn } from './turn-reader.ts';
import { emptyLog, takeEvents, type ArrivedEvent, type SurvivingEvents } from './surviving-events.ts';

/** A turn that is being read. `isCut`: its stream is asked for again; `failure`: it cannot be read. */
export interface TurnOnPage {
  readonly log: SurvivingEvents;
  readonly isCut: boolean;
  readonly failure: Failure | undefined;
}

/** Events that come faster are drawn together. */
const DRAW_MS = 30;

const NOTHING: TurnOnPage = { log: emptyLog, isCut: false, failure: undefined };

/** Reads the events of a turn for as long as the component is there. Undefined: nothing is read yet. */
export const useTurn = (turnId: string | undefined): TurnOnPage => {
  const [turn, setTurn] = useState(NOTHING);
  const log = useRef(emptyLog);
  useEffect(() => {
    if (turnId === undefined) return undefined;
    const left = new AbortController();
    let waiting: ArrivedEvent[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = (more: Partial<TurnOnPage> = {}): void => {
      clearTimeout(timer);
      timer = undefined;
      log.current = takeEvents(log.current, waiting);
      waiting = [];
      setTurn((before) => ({ ...before, log: log.current, ...more }));
    };
    const onEvents = (events: readonly ArrivedEvent[]): void => {
      waiting = waiting.concat(events);
      timer ??= setTimeout(() => draw({ isCut: false }), DRAW_MS);
    };
    const options = { turnId, after: log.current.lastId, signal: left.signal, onEvents };
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
