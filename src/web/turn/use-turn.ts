import { useEffect, useRef, useState } from 'react';
import { NOTHING_RECEIVED } from './received-turn.ts';
import { EMPTY_OUTPUT } from './running-output.ts';
import { streamTurn } from './stream-turn.ts';
import { type StreamedTurn, TurnStreamReader } from './turn-stream-reader.ts';

const NOTHING: StreamedTurn = {
  received: NOTHING_RECEIVED,
  output: EMPTY_OUTPUT,
  isDisconnected: false,
  failure: undefined,
};

/**
 * Reads the events of a turn until it has ended or the component is removed. Reads nothing while `turnId` is undefined.
 * For another turn the component must be mounted anew, because the events of the first turn stay.
 */
export const useTurn = (turnId: string | undefined): StreamedTurn => {
  const [turn, setTurn] = useState(NOTHING);
  // What was received outlives the effect. When the effect runs again, the next reader resumes after it.
  const received = useRef(NOTHING_RECEIVED);
  useEffect(() => {
    if (turnId === undefined) return undefined;
    const reader = new TurnStreamReader({
      stream: streamTurn,
      turnId,
      received: received.current,
      onChange: (change) => {
        received.current = change.received;
        setTurn((before) => ({ ...before, ...change }));
      },
    });
    void reader.read();
    return () => reader.stop();
  }, [turnId]);
  return turn;
};
