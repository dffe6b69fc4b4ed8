import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import { TwoStageProtocol } from '../../../src/protocol/protocols/two-stage-protocol.ts';
import {
  asks,
  collect,
  ends,
  type FakeTurnParts,
  fakeTurn,
  type ModelScript,
  says,
  terminalOf,
  toolCall,
} from '../../support/fake-ports.ts';

/** Plays a two-stage turn to its end. */
export const run = async (settings: FakeTurnParts) => {
  const turn = fakeTurn(settings);
  const events = await collect(new TwoStageProtocol(turn.context).executeStreaming(turn.context));
  return { ...turn, events, end: terminalOf(events) };
};

export const read = (path: string) => toolCall('Files_read', { path });

/** Returns a model that makes `calls[0]`, `calls[1]` …, one in each model call, and then answers. */
export const asking =
  (...calls: ReturnType<typeof toolCall>[]): ModelScript =>
  (n, _messages, { tools }) => {
    const call = tools ? calls[n - 1] : undefined;
    return call ? [asks(call), ends('tool_calls')] : [says('Answer.'), ends()];
  };

/** Returns a model that makes calls for ever, and answers once no tools are offered. */
export const forEver =
  (make: (n: number) => ReturnType<typeof toolCall>): ModelScript =>
  (n, _messages, { tools }) =>
    tools ? [asks(make(n)), ends('tool_calls')] : [says('Answer.'), ends()];

export const phasesOf = (events: readonly TurnEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'phase' ? [`${event.phase} ${event.index} ${event.cycle}`] : []));

export const chunkOf = (events: readonly TurnEvent[], notice: string): string | undefined =>
  events.flatMap((event) => (event.type === 'chunk' && event.notice === notice ? [event.content] : []))[0];
