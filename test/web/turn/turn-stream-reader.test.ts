import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { NOTHING_RECEIVED } from '../../../src/web/turn/received-turn.ts';
import { type StreamTurnOptions, TurnStreamReader } from '../../../src/web/turn/turn-stream-reader.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Opens a turn whose stream brings an event with `say`, also to a reader that has been stopped. */
const openTurn = () => {
  let stream: StreamTurnOptions | undefined;
  const reports: string[] = [];
  const reader = new TurnStreamReader({
    turnId: 'turn',
    received: NOTHING_RECEIVED,
    stream: (options) => {
      stream = options;
      return new Promise(() => undefined);
    },
    onChange: ({ received }) => void reports.push(JSON.stringify(received.view.entries)),
  });
  void reader.read();
  const say = (seq: number, content: string): void =>
    stream?.onEvents([{ id: { epoch: 101, seq }, event: { type: 'chunk', content } }]);
  return { reader, reports, say };
};

it('events that arrive in the same moment are reported together', () => {
  const { reports, say } = openTurn();
  say(1, 'Hello, ');
  say(2, 'you');
  jest.advanceTimersByTime(1_000);
  expect(reports).toEqual([expect.stringContaining('Hello, you')]);
});

it('nothing is reported after the stop, since a later reader may have reported more', () => {
  const { reader, reports, say } = openTurn();
  reader.stop();
  say(1, 'Hello');
  jest.advanceTimersByTime(1_000);
  expect(reports).toEqual([]);
});
