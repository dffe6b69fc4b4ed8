import { expect, it } from '@jest/globals';
import { isTerminal } from '../../src/contracts/wire/turn-event.ts';
import { accept, type LoggedEvent } from '../../src/protocol/event-log/event-log.ts';
import { eventExamples } from './event-examples.ts';

/**
 * Authors of clients copy the ids of the page, so they have to be the ids of a possible turn: `accept` takes its events
 * in this order.
 */
it.each(['done', 'error'])('examples of events make a turn that ends with %s', (end) => {
  const list: LoggedEvent[] = [];
  const taken = eventExamples
    .filter(({ event }) => !isTerminal(event) || event.type === end)
    .map(({ id, event }) => {
      const last = list.at(-1);
      const after = last ? `${last.id.epoch}-${last.id.seq}` : null;
      return accept(list, last?.id.epoch === id.epoch ? { id, event } : { id, after, event });
    });
  expect(new Set(taken)).toEqual(new Set(['accepted']));
  for (const { id, event } of eventExamples) {
    if (event.type === 'reset') expect(id.seq).toBe(event.fromSeq - 1);
  }
});
