import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { traceListSchema } from '../../../src/contracts/http/trace-api.ts';
import type { TraceRepository, TraceListQuery } from '../../../src/db/turns/trace-repository.ts';
import type { RawTrace } from '../../../src/trace/prepare-trace.ts';

/** The traces that are listed, and a function that stores one more, later than those before it. */
export interface TracesUnderContract {
  readonly traces: Pick<TraceRepository, 'list'>;
  keep(trace: RawTrace): Promise<unknown> | void;
}

/** Describes what the route of traces relies on; `open` is called once. */
export const describeTraceList = (name: string, open: () => TracesUnderContract): void => {
  describe(`a list of traces: ${name}`, () => {
    const projectId = randomUUID();
    const second = (n: number): Date => new Date(Date.UTC(2026, 0, 2, 3, 4, n));
    const start = {
      projectId,
      requestId: 'r1',
      type: 'orchestration_phase_start',
      source: 'system',
    } as const;
    let store: TracesUnderContract;
    beforeAll(async () => {
      store = open();
      const details = { a: [1, 'é'] };
      const phase = { phaseIndex: 0, cycleIndex: 2, metadata: { b: 1 } };
      await store.keep({ ...start, ...phase, summary: 'one', details, at: second(1) });
      await store.keep({ ...start, type: 'llm_call', source: 'orion', summary: 'two', at: second(2) });
      await store.keep({ ...start, requestId: 'r2', summary: 'three', error: 'why', at: second(3) });
      await store.keep({ ...start, projectId: randomUUID(), summary: 'elsewhere', at: second(4) });
    });

    const list = async (query: Partial<TraceListQuery> = {}) => {
      const page = await store.traces.list({ projectId, limit: 10, offset: 0, ...query });
      const events: unknown = JSON.parse(page.events);
      const parsed = traceListSchema.parse({ events, total: page.total, nextOffset: null });
      expect(page.count).toBe(parsed.events.length);
      return parsed;
    };
    const summaries = async (query: Partial<TraceListQuery>) => {
      const { events, total } = await list(query);
      return [events.map(({ summary }) => summary).join(' '), total];
    };

    it('is JSON of events as clients see them, oldest first; what is unknown is null', async () => {
      const { events } = await list();
      expect(events.map(({ summary }) => summary)).toEqual(['one', 'two', 'three']);
      expect(events[0]).toEqual({
        ...start,
        id: expect.any(String),
        summary: 'one',
        details: { a: [1, 'é'] },
        phaseIndex: 0,
        cycleIndex: 2,
        error: null,
        metadata: { b: 1 },
        createdAt: '2026-01-02T03:04:01.000Z',
      });
      const nothing = { details: null, phaseIndex: null, cycleIndex: null, metadata: null };
      expect(events[2]).toMatchObject({ ...nothing, error: 'why' });
    });

    it('is the newest window after leaving out the newest, and counts all that match', async () => {
      expect(await summaries({ limit: 2 })).toEqual(['two three', 3]);
      expect(await summaries({ limit: 2, offset: 1 })).toEqual(['one two', 3]);
      expect(await summaries({ limit: 2, offset: 2 })).toEqual(['one', 3]);
      expect(await summaries({ limit: 2, offset: 3 })).toEqual(['', 3]);
    });

    it('holds those of one turn, one type or one source', async () => {
      expect(await summaries({ requestId: 'r2' })).toEqual(['three', 1]);
      expect(await summaries({ type: 'llm_call' })).toEqual(['two', 1]);
      expect(await summaries({ source: 'system' })).toEqual(['one three', 2]);
      expect(await summaries({ projectId: randomUUID() })).toEqual(['', 0]);
    });
  });
};
