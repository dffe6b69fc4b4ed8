import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { type TraceList, traceListSchema, traceQuerySchema } from '../../../src/contracts/http/trace-api.ts';
import { createTraceRepository } from '../../../src/db/turns/trace-repository.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { prepareTrace, type RawTrace } from '../../../src/trace/prepare-trace.ts';
import { describeTraceList } from '../support/trace-list-contract.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answered, turnInput, userMessage } from '../../support/turn-fixtures.ts';
import { storedTraces } from '../support/stored-traces.ts';
import { cpuAdjustedNow } from '../../support/own-time.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const traces = () => createTraceRepository(database.db);

/** Returns the n-th millisecond of a day. */
const at = (n: number): Date => new Date(Date.UTC(2026, 0, 1) + n);

const trace = (projectId: string, summary: string, more: Partial<RawTrace> = {}) =>
  prepareTrace({
    projectId,
    requestId: `of-${projectId}`,
    type: 'llm_call',
    source: 'orion',
    summary,
    ...more,
  });

/** Reads traces as a client gets them. */
const read = async (query: Record<string, string>): Promise<TraceList> => {
  const { events, total } = await traces().list(traceQuerySchema.parse(query));
  return traceListSchema.parse({ events: JSON.parse(events) as unknown, total, nextOffset: null });
};

const list = async (query: Record<string, string>) => {
  const { events, total } = await read(query);
  return { summaries: events.map(({ summary }) => summary), total };
};

describeTraceList('in Postgres', () => ({
  traces: traces(),
  keep: (kept) => traces().store([prepareTrace(kept)]),
}));

describe('list', () => {
  it('is the newest window, oldest first, after skipping the newest ones', async () => {
    const numbers = Array.from({ length: 300 }, (_, i) => i);
    // The rows are stored in another order than they happened in, as those of activities are.
    for (const rest of [1, 0]) {
      await traces().store(
        numbers.filter((n) => n % 2 === rest).map((n) => trace('many', `${n}`, { at: at(n) })),
      );
    }
    const between = (from: number, to: number) => numbers.slice(from, to).map(String);
    expect(await list({ projectId: 'many' })).toEqual({ summaries: between(250, 300), total: 300 });
    expect((await list({ projectId: 'many', limit: '5000' })).summaries).toEqual(between(100, 300));
    expect((await list({ projectId: 'many', limit: '3', offset: '10' })).summaries).toEqual(
      between(287, 290),
    );
    expect((await list({ projectId: 'many', limit: '20', offset: '290' })).summaries).toEqual(between(0, 10));
    expect(await list({ projectId: 'many', offset: '300' })).toEqual({ summaries: [], total: 300 });
  });

  it('is cut where its details are too long for one page, and the next page continues there', async () => {
    const details = { text: 'x'.repeat(250_000) };
    for (let n = 0; n < 12; n += 1) {
      await traces().store([trace('heavy', `${n}`, { at: at(n), ...(n !== 5 && { details }) })]);
    }
    const seen: string[] = [];
    while (seen.length < 12) {
      const page = await traces().list(
        traceQuerySchema.parse({ projectId: 'heavy', limit: '200', offset: String(seen.length) }),
      );
      const events = JSON.parse(page.events) as TraceList['events'];
      expect([page.total, page.count]).toEqual([12, events.length]);
      expect(Buffer.byteLength(page.events)).toBeLessThan(1_100_000);
      expect(events.length).toBeGreaterThan(0);
      seen.unshift(...events.map(({ summary }) => summary));
    }
    expect(seen).toEqual(Array.from({ length: 12 }, (_, n) => `${n}`));
  });

  it('is ordered by ordinal where times are equal', async () => {
    const tied = [30, 10, 20].map((ordinal) => trace('tied', `${ordinal}`, { ordinal, at: at(0) }));
    await traces().store(tied);
    expect((await list({ projectId: 'tied' })).summaries).toEqual(['10', '20', '30']);
    const stored = await storedTraces(database.db, 'of-tied');
    expect(stored.map(({ summary }) => summary)).toEqual(['10', '20', '30']);
  });

  it('filters by request, source and type, under all names of a type, and never crosses a project', async () => {
    const of = (summary: string, more: Partial<RawTrace>) => trace('filtered', summary, more);
    await traces().store([
      of('start', { type: 'orchestration_phase_start', source: 'system', requestId: 'a' }),
      of('end', { type: 'orchestration_phase_end', source: 'system', requestId: 'a' }),
      of('result', { type: 'tool_result', source: 'tool', requestId: 'b' }),
      of('error', { type: 'system_error', source: 'system', requestId: 'b' }),
      trace('another', 'foreign', { requestId: 'a' }),
    ]);
    const where = async (query: Record<string, string>) =>
      (await list({ projectId: 'filtered', ...query })).summaries.toSorted();
    expect(await where({ requestId: 'a' })).toEqual(['end', 'start']);
    expect(await where({ requestId: 'nobody' })).toEqual([]);
    expect(await where({ source: 'tool' })).toEqual(['result']);
    expect(await where({ type: 'phase_start' })).toEqual(['start']);
    expect(await where({ type: 'orchestration_phase_start' })).toEqual(['start']);
    expect(await where({ type: 'phase_end', requestId: 'a' })).toEqual(['end']);
    expect(await where({ type: 'tool_executed' })).toEqual(['result']);
    expect(await where({ type: 'error_occurred' })).toEqual(['error']);
  });
});

describe('store', () => {
  it('treats a filter that contains SQL as text', async () => {
    await traces().store([trace('sql', 'one')]);
    for (const evil of ["' or '1'='1", "x'; drop table trace_events; --", '%']) {
      const { events, total } = await traces().list({ projectId: evil, limit: 9, offset: 0 });
      expect([events, total]).toEqual(['[]', 0]);
      expect((await traces().list({ projectId: 'sql', requestId: evil, limit: 9, offset: 0 })).total).toBe(0);
    }
    expect((await list({ projectId: 'sql' })).total).toBe(1);
  });

  it('stores a key once, also when twenty writers bring it at once', async () => {
    const other = createTraceRepository(database.openAnother());
    const batch = ['a', 'b', 'c'].map((key) => trace('once', key, { key, ordinal: 1 }));
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? traces() : other).store([...batch, ...batch])),
    );
    expect((await list({ projectId: 'once' })).total).toBe(3);
  });

  it('lets a later attempt replace a row, but not a zombie of an earlier one', async () => {
    const attempt = (n: number) =>
      trace('again', `attempt ${n}`, { key: 'llm_result:1', ordinal: 1_000 + n });
    for (const n of [1, 3, 2, 3]) await traces().store([attempt(n)]);
    expect(await list({ projectId: 'again' })).toEqual({ summaries: ['attempt 3'], total: 1 });
  });

  it('keeps details as they are, index 0 as 0, and null if there is none', async () => {
    await traces().store([
      trace('kept', 'full', { details: { a: [1, 'é😀'] }, phaseIndex: 0, metadata: { b: 1 }, at: at(1) }),
      trace('kept', 'bare', { at: at(2) }),
    ]);
    const { events } = await read({ projectId: 'kept' });
    const full = { details: { a: [1, 'é😀'] }, phaseIndex: 0, metadata: { b: 1 } };
    expect(events[0]).toMatchObject({ ...full, createdAt: at(1).toISOString() });
    expect(await storedTraces(database.db, 'of-kept')).toMatchObject([
      { details: full.details, phase_index: 0, metadata: full.metadata, created_at: at(1) },
      {},
    ]);
    expect(events[1]).toMatchObject({ details: null, phaseIndex: null, cycleIndex: null, error: null });
  });
});

describe('the end of a turn', () => {
  const closing = (turnId: string) => ({
    ...answered(turnId, '0-1'),
    closingTraces: [trace('closing', turnId, { requestId: turnId, key: 'w9' })],
  });
  const start = async (...turnIds: readonly string[]) => {
    const turns = createTurnRepository(database.db);
    for (const turnId of turnIds) await turns.insert(turnInput(turnId), 'hash', userMessage);
    return turns;
  };

  it('stores the last traces with it', async () => {
    const turns = await start('with-traces');
    const { isClosedHere, traceFailure } = await turns.close(closing('with-traces'));
    expect([isClosedHere, traceFailure]).toEqual([true, undefined]);
    expect((await list({ projectId: 'closing' })).summaries).toEqual(['with-traces']);
  });

  it('is in the trace when the turn is closed from outside its workflow', async () => {
    const turns = await start('outside');
    await turns.close({ turnId: 'outside', outside: { batches: [] } });
    await turns.close({ turnId: 'outside', outside: { batches: [] } });
    expect(await storedTraces(database.db, 'outside')).toMatchObject([
      { type: 'system_error', project_id: 'project', source: 'system' },
    ]);
  });

  it('comes within 1 s though the trace table is locked', async () => {
    const ids = ['locked-1', 'locked-2', 'locked-3'];
    const turns = await start(...ids);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holder = database
      .openAnother()
      .transaction()
      .execute(async (trx) => {
        await sql`lock table trace_events in access exclusive mode`.execute(trx);
        locked.resolve();
        await released;
      });
    await locked.promise;
    const times: number[] = [];
    for (const id of ids) {
      const startedAt = cpuAdjustedNow();
      const { isClosedHere, traceFailure } = await turns.close(closing(id));
      times.push(cpuAdjustedNow() - startedAt);
      expect(isClosedHere).toBe(true);
      expect(traceFailure).toMatchObject({ code: '55P03' });
    }
    release();
    await holder;
    // The fastest of several reads counts, because Postgres may be slow once when the machine is busy.
    expect(Math.min(...times)).toBeLessThan(1_000);
    for (const id of ids) expect(await turns.find(id)).toMatchObject({ status: 'completed' });
  });

  it('comes though there is no trace table at all', async () => {
    const turns = await start('gone');
    await sql`alter table trace_events rename to trace_events_away`.execute(database.db);
    const { isClosedHere, traceFailure } = await turns.close(closing('gone'));
    await sql`alter table trace_events_away rename to trace_events`.execute(database.db);
    expect(isClosedHere).toBe(true);
    expect(traceFailure).toMatchObject({ code: '42P01' });
    expect(await turns.find('gone')).toMatchObject({ status: 'completed' });
  });
});
