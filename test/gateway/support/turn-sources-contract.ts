import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { TurnSources } from '../../../src/gateway/hub/turn-sources.ts';
import { formatEventId, type EventId } from '../../../src/contracts/wire/event-id.ts';
import { expandBatch, type LoggedEvent } from '../../../src/protocol/event-log/event-log.ts';

/** The place from which a hub reads turns, and the means to begin and end turns there. */
export interface SourcesUnderContract {
  readonly sources: TurnSources;
  /** Resolves to the id of a new turn that has said these words, one event each, and says no more until it is ended. */
  begin(words: readonly string[]): Promise<string>;
  end(turnId: string): Promise<void>;
}

const WORDS = ['one', 'two', 'three'];

/** Describes what the hub relies on for events that the live lane did not bring; `open` is called once in each test. */
export const describeTurnSources = (name: string, open: () => SourcesUnderContract): void => {
  const { signal } = new AbortController();

  /** Resolves to the events of all pages after `from`. */
  const durable = async ({ sources }: SourcesUnderContract, turnId: string, from: EventId | null = null) => {
    const events: LoggedEvent[] = [];
    for (;;) {
      const page = await sources.queryEvents(turnId, events.at(-1)?.id ?? from, signal);
      events.push(...page.batches.flatMap(expandBatch));
      if (!page.more) return { events, closed: page.isClosed ?? false };
    }
  };
  const wordsOf = (events: readonly LoggedEvent[]): string[] =>
    events.flatMap(({ event }) => (event.type === 'chunk' ? [event.content] : []));
  const idsOf = (events: readonly LoggedEvent[]): string[] => events.map(({ id }) => formatEventId(id));

  describe(`where a hub reads turns: ${name}`, () => {
    it('return the events of a running turn, and no end', async () => {
      const world = open();
      const turnId = await world.begin(WORDS);
      const { events, closed } = await durable(world, turnId);
      expect([wordsOf(events), closed]).toEqual([WORDS, false]);
      expect(await world.sources.findEnded(turnId)).toBeUndefined();
      await world.end(turnId);
    });

    it('return the events of a running turn above an id, and none above the last', async () => {
      const world = open();
      const turnId = await world.begin(WORDS);
      const all = idsOf((await durable(world, turnId)).events);
      for (const [index, { id }] of (await durable(world, turnId)).events.entries()) {
        expect(idsOf((await durable(world, turnId, id)).events)).toEqual(all.slice(index + 1));
      }
      await world.end(turnId);
    });

    it('say only that the workflow of an ended turn is closed; its list has the same ids, and the end last', async () => {
      const world = open();
      const turnId = await world.begin(WORDS);
      const { events: before } = await durable(world, turnId);
      await world.end(turnId);
      expect(await durable(world, turnId)).toEqual({ events: [], closed: true });
      const { events = [] } = (await world.sources.findEnded(turnId)) ?? {};
      expect(wordsOf(events)).toEqual(WORDS);
      expect(idsOf(events)).toEqual(expect.arrayContaining(idsOf(before)));
      expect(events.at(-1)?.event.type).toBe('done');
      await world.sources.reconcile(turnId);
    });

    it('say that a turn which nobody has begun is closed and has no end, whatever other turns have', async () => {
      const world = open();
      await world.end(await world.begin(WORDS));
      const turnId = randomUUID();
      expect(await durable(world, turnId)).toEqual({ events: [], closed: true });
      expect(await world.sources.findEnded(turnId)).toBeUndefined();
      await world.sources.reconcile(turnId);
    });
  });
};
