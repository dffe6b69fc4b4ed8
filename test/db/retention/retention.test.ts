import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { createRetention } from '../../../src/db/retention/retention.ts';
import { createSegmentRepository } from '../../../src/db/turns/segment-repository.ts';
import { createToolLedgerRepository } from '../../../src/db/turns/tool-ledger-repository.ts';
import { createTraceRepository } from '../../../src/db/turns/trace-repository.ts';
import { createTurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { compareEventIds } from '../../../src/contracts/wire/event-id.ts';
import {
  accept,
  eventsAfter,
  fullContentOf,
  type LoggedEvent,
} from '../../../src/protocol/event-log/event-log.ts';
import { prepareTrace } from '../../../src/trace/prepare-trace.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answered, attempt, turnInput, userMessage } from '../../support/turn-fixtures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const MONTH_AGO = new Date(Date.now() - 30 * 24 * 60 * 60_000);
const LONG_AGO = new Date(Date.now() - 31 * 24 * 60 * 60_000);

/** Stores a turn with text, a tool execution and a trace; it ended `at` this time, or is still running. */
const leaveTurn = async (turnId: string, at?: Date): Promise<void> => {
  const { db } = database;
  const turns = createTurnRepository(db);
  await turns.insert(turnInput(turnId, { notifies: true }), 'hash', userMessage);
  const said = attempt(1, 'Hello ', 'world');
  await createSegmentRepository(db).store(turnId, said.epoch, [said]);
  await sql`insert into turn_contexts (turn_id, step, messages) values (${turnId}, 1, '[]')`.execute(db);
  await sql`insert into turn_transcripts (turn_id, messages, tokens) values (${turnId}, '[]', '{}')`.execute(
    db,
  );
  await sql`
    insert into call_spend (turn_id, epoch, step, model, owner, day, most, prompt_cost, output_price)
    values (${turnId}, 101, 1, 'm', 'local', '2026-01-02', 1, 1, 1)`.execute(db);
  const ledger = createToolLedgerRepository(db);
  const key = { turnId, phaseIndex: 1, position: 0 };
  await ledger.begin(key, { toolName: 'x', arguments: '{}' });
  const after = { sha256: 'a'.repeat(64), bytes: 1 };
  await ledger.planWrite(key, 1, { path: 'a', targetKey: 'a', before: null, after });
  await sql`insert into reply_contents (turn_id, sha256, content) values (${turnId}, 'a', 'b')`.execute(db);
  const trace = { projectId: 'project', requestId: turnId, type: 'llm_call', source: 'orion' } as const;
  await createTraceRepository(db).store([prepareTrace({ ...trace, summary: 'call', at })]);
  if (!at) return;
  await turns.close(answered(turnId, '101-3'));
  await sql`update turns set ended_at = ${at} where turn_id = ${turnId}`.execute(db);
};

const rowCounts = async (turnId: string): Promise<Record<string, number>> => {
  const counts: [string, number][] = [];
  for (const table of [
    'turns',
    'turn_segments',
    'turn_contexts',
    'call_spend',
    'turn_transcripts',
    'tool_executions',
    'file_changes',
    'reply_contents',
    'trace_events',
    'outbox',
  ]) {
    const { rows } = await sql<{ n: number }>`
      select count(*)::integer as n from ${sql.table(table)} where turn_id = ${turnId}`.execute(database.db);
    counts.push([table, rows[0]?.n ?? 0]);
  }
  return Object.fromEntries(counts);
};

const kept = {
  turns: 1,
  turn_segments: 1,
  turn_contexts: 1,
  call_spend: 1,
  turn_transcripts: 1,
  tool_executions: 1,
  file_changes: 1,
  reply_contents: 1,
  trace_events: 1,
  outbox: 0,
};

describe('retention', () => {
  it('removes what is old, and nothing of a turn that runs or has ended recently', async () => {
    await leaveTurn('old', LONG_AGO);
    await leaveTurn('fresh', new Date());
    await leaveTurn('running');
    let batches = 0;
    const removed = await createRetention(database.db).prune(MONTH_AGO, () => (batches += 1));
    expect(removed).toEqual({
      traces: 1,
      segments: 2,
      contexts: 1,
      calls: 1,
      transcripts: 1,
      executions: 1,
      inputs: 1,
      changes: 1,
      notifications: 1,
    });
    expect(batches).toBeGreaterThanOrEqual(4);
    expect(await rowCounts('old')).toEqual({
      turns: 1,
      turn_segments: 0,
      turn_contexts: 0,
      call_spend: 0,
      turn_transcripts: 0,
      tool_executions: 0,
      file_changes: 0,
      reply_contents: 0,
      trace_events: 0,
      outbox: 0,
    });
    expect(await rowCounts('fresh')).toEqual({ ...kept, turn_segments: 2, outbox: 1 });
    expect(await rowCounts('running')).toEqual(kept);
    expect(await createRetention(database.db).prune(MONTH_AGO, () => undefined)).toEqual({
      traces: 0,
      segments: 0,
      contexts: 0,
      calls: 0,
      transcripts: 0,
      executions: 0,
      inputs: 0,
      changes: 0,
      notifications: 0,
    });
  });

  it('removes more than one batch', async () => {
    await sql`
      insert into trace_events (turn_id, key, project_id, type, source, summary, created_at)
      select 'many', n::text, 'project', 'llm_call', 'orion', '', ${LONG_AGO}
      from generate_series(1, 4500) n`.execute(database.db);
    const { traces } = await createRetention(database.db).prune(MONTH_AGO, () => undefined);
    expect(traces).toBe(4500);
  });

  it('leaves a turn that can still be read to its end, whatever id a client resumes after', async () => {
    await leaveTurn('read-later', LONG_AGO);
    const turns = createTurnRepository(database.db);
    const before = (await turns.findEvents('read-later')) ?? [];
    await createRetention(database.db).prune(MONTH_AGO, () => undefined);
    const after = (await turns.findEvents('read-later')) ?? [];
    const list: LoggedEvent[] = [];
    for (const event of after) expect(accept(list, event)).toBe('accepted');
    expect(fullContentOf(list)).toBe('Hello world');
    expect(list.at(-1)).toMatchObject({ id: before.at(-1)?.id, event: before.at(-1)?.event });
    expect(after.map(({ event }) => event.type)).toEqual(['reset', 'chunk', 'done']);
    for (const { id } of before.slice(0, -1)) {
      if (id.epoch === before.at(-1)?.id.epoch) continue;
      expect(eventsAfter(after, id)[0]?.event.type).toBe('reset');
      expect(compareEventIds(after[0]!.id, id)).toBeGreaterThan(0);
    }
  });
});
