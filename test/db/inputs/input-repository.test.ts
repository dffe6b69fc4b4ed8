/** Tests the rows of input requests: they follow the workflow, whatever is repeated. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { StoredResolution } from '../../../src/contracts/inputs/input-request.ts';
import { inputIdOf } from '../../../src/contracts/inputs/input-id.ts';
import { createInputRepository, type InputRepository } from '../../../src/db/inputs/input-repository.ts';
import type { NewInputRequest } from '../../../src/db/inputs/input-row.ts';
import { createConversationLists } from '../../../src/db/conversations/conversation-lists.ts';
import { createTurnRepository, type TurnRepository } from '../../../src/db/turns/turn-repository.ts';
import { describeInputLists } from '../../gateway/support/input-lists-contract.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answered, turnInput, userMessage } from '../../support/turn-fixtures.ts';

let database: TestDatabase;
let turns: TurnRepository;
let inputs: InputRepository;
beforeAll(async () => {
  database = await createTestDatabase();
  turns = createTurnRepository(database.db);
  inputs = createInputRepository(database.db);
});
afterAll(() => database.close());

const started = async (turnId: string): Promise<string> => {
  await turns.insert(turnInput(turnId, { projectId: `of ${turnId}` }), 'hash', userMessage, 'anna');
  return turnId;
};
const newRequest = (turnId: string, more: Partial<NewInputRequest> = {}): NewInputRequest => ({
  turnId,
  n: 1,
  kind: 'approval',
  request: {
    tool: 'FileSystemTool_write_to_file',
    callId: 'c1',
    arguments: '{"path":"a.md"}',
    effect: 'write',
    target: 'a.md',
    options: ['allow', 'deny'],
  },
  argsHash: 'a'.repeat(64),
  diff: '-one\n+two \0 \ud800\n',
  ...more,
});
const announcement = {
  message: 'May it?',
  default: 'deny' as const,
  expiresAt: new Date('2026-01-06T09:00:00Z'),
};
const resolved = (turnId: string, more: Partial<StoredResolution> = {}): StoredResolution => ({
  inputId: inputIdOf(turnId, 1),
  reply: 'allow',
  by: { kind: 'key', name: 'anna' },
  at: '2026-01-05T09:00:00.000Z',
  replyHash: 'h',
  ...more,
});

describeInputLists('in Postgres', () => ({
  requests: inputs,
  ask: async (projectId) => {
    const turnId = randomUUID();
    await turns.insert(turnInput(turnId, { projectId }), 'hash', userMessage, 'anna');
    await inputs.prepare(newRequest(turnId, { diff: '+x\n' }));
    await inputs.open(turnId, 1, announcement);
    return turnId;
  },
  deny: (turnId) => inputs.close(turnId, [resolved(turnId, { reply: 'deny' })]),
}));

describe('input requests', () => {
  it('stay as they were first stored, however often they are prepared', async () => {
    const turnId = await started('first');
    await inputs.prepare(newRequest(turnId));
    const again = await inputs.prepare(newRequest(turnId, { argsHash: 'b'.repeat(64), diff: 'other' }));
    expect(again).toMatchObject({ argsHash: 'a'.repeat(64), diff: '-one\n+two \uFFFD \uFFFD\n' });
  });

  it('of a key with 1,000 turns that wait take their default, and those of other keys wait', async () => {
    const busy = await started('busy');
    const ask = async (turnId: string) => {
      await inputs.prepare(newRequest(turnId));
      return inputs.open(turnId, 1, announcement);
    };
    await sql`
      insert into turns (turn_id, project_id, conversation_id, request_hash, start_input, protocol, mode, model, started_by)
      select 'busy-' || n, project_id, 'c' || n, request_hash, start_input, protocol, mode, model, 'busy'
      from turns, generate_series(1, 1000) n where turn_id = ${busy}`.execute(database.db);
    await sql`update turns set started_by = 'busy' where turn_id = ${busy}`.execute(database.db);
    await sql`
      insert into input_requests (turn_id, n, kind, request, state)
      select 'busy-' || n, 1, 'approval', '{"options":[]}', 'open' from generate_series(1, 1000) n`.execute(
      database.db,
    );
    expect(await ask(busy)).toBe('too_many');
    expect(await inputs.find(busy, 1)).toBeUndefined();
    expect(await ask(await started('other-key'))).toBe('open');
    await sql`update input_requests set state = 'closed' where turn_id = 'busy-7'`.execute(database.db);
    expect(await ask(busy)).toBe('open');
    for (const table of ['input_requests', 'turns']) {
      await sql`delete from ${sql.table(table)} where turn_id like 'busy-%'`.execute(database.db);
    }
  });

  it('are in no list before they are announced, and open from then on', async () => {
    const turnId = await started('announced');
    await inputs.prepare(newRequest(turnId));
    expect(await inputs.find(turnId, 1)).toBeUndefined();
    expect(await inputs.open(turnId, 1, announcement)).toBe('open');
    expect(await inputs.open(turnId, 1, { ...announcement, message: 'again' })).toBe('open');
    expect(await inputs.find(turnId, 1)).toMatchObject({
      state: 'open',
      message: 'May it?',
      resolution: null,
      expiresAt: announcement.expiresAt,
    });
    const window = { projects: [`of ${turnId}`], state: 'open' as const, limit: 10, offset: 0 };
    const { rows } = await inputs.list(window);
    expect(rows).toMatchObject([{ turnId, diff: null, projectId: `of ${turnId}` }]);
    expect((await inputs.list({ ...window, projects: ['other'] })).rows).toEqual([]);
  });

  it('are found and keep their resolution when the reply comes before they are announced', async () => {
    const turnId = await started('quick');
    await inputs.prepare(newRequest(turnId));
    await inputs.close(turnId, [resolved(turnId)]);
    expect(await inputs.find(turnId, 1)).toMatchObject({ state: 'closed', resolution: { reply: 'allow' } });
    await inputs.open(turnId, 1, announcement);
    expect(await inputs.find(turnId, 1)).toMatchObject({
      state: 'closed',
      message: 'May it?',
      resolution: { reply: 'allow' },
    });
    const window = { projects: [`of ${turnId}`], state: 'closed' as const, limit: 10, offset: 0 };
    expect((await inputs.list(window)).rows).toMatchObject([{ turnId, state: 'closed' }]);
  });

  it('are listed without reading a diff or sorting all there are', async () => {
    const turnId = await started('listed');
    await inputs.prepare(newRequest(turnId));
    await inputs.open(turnId, 1, announcement);
    const read: Record<string, unknown>[] = [];
    const queries: CompiledQuery[] = [];
    const db = database.db.withPlugin({
      transformQuery: ({ node, queryId }) => {
        queries.push(database.db.getExecutor().compileQuery(node, queryId));
        return node;
      },
      transformResult: ({ result }) => {
        read.push(...result.rows);
        return Promise.resolve(result);
      },
    });
    const window = { projects: [`of ${turnId}`], state: undefined, limit: 10, offset: 0 };
    expect((await createInputRepository(db).list(window)).rows).toMatchObject([{ turnId, diff: null }]);
    expect(JSON.stringify(read)).not.toContain('-one');
    expect(queries).toHaveLength(1);
    const [{ sql: text, parameters } = CompiledQuery.raw('')] = queries;
    const plan = await database.db.transaction().execute(async (trx) => {
      // The table is small here: without this, sorting would be cheaper than following the index.
      await sql`set local enable_sort = off`.execute(trx);
      return trx.executeQuery(CompiledQuery.raw(`explain ${text}`, [...parameters]));
    });
    expect(JSON.stringify(plan.rows)).toContain('Index');
    expect(JSON.stringify(plan.rows)).not.toContain('Sort');
  });

  it('keep their first resolution', async () => {
    const turnId = await started('resolved');
    await inputs.prepare(newRequest(turnId));
    await inputs.open(turnId, 1, announcement);
    await inputs.close(turnId, [resolved(turnId)]);
    await inputs.close(turnId, [resolved(turnId, { reply: 'deny', by: { kind: 'expiry' } })]);
    expect(await inputs.find(turnId, 1)).toMatchObject({ state: 'closed', resolution: { reply: 'allow' } });
  });

  it('are closed with their turn, whoever closes it; resolved ones stay resolved', async () => {
    const turnId = await started('ended');
    for (const n of [1, 2]) {
      await inputs.prepare(newRequest(turnId, { n }));
      await inputs.open(turnId, n, announcement);
    }
    await turns.close(answered(turnId, '0-1', { resolutions: [resolved(turnId)] }));
    expect(await inputs.find(turnId, 1)).toMatchObject({ state: 'closed', resolution: { reply: 'allow' } });
    expect(await inputs.find(turnId, 2)).toMatchObject({ state: 'closed', resolution: null });
    const outside = await started('ended outside');
    await inputs.prepare(newRequest(outside));
    await turns.close({ turnId: outside, outside: { batches: [] } });
    expect(await inputs.open(outside, 1, announcement)).toBe('open');
    expect(await inputs.find(outside, 1)).toBeUndefined();
  });
});

describe('a turn that waits', () => {
  it('says what it waits for, counts for no limit, and is swept every ten minutes', async () => {
    const turnId = 'waiting';
    const approvals = { rules: [], setting: 'writes' } as const;
    const input = turnInput(turnId, { inputs: { approvals, expiryMs: 1 } });
    await turns.insert(input, 'hash', userMessage, 'wanda');
    const running = await turns.countRunning();
    const claim = async () => {
      const rows = await turns.claimRunning({ olderThanMs: 0, limit: 100 });
      await database.db
        .updateTable('turns')
        .set({ swept_at: new Date(Date.now() - 60_000) })
        .execute();
      return rows.find((row) => row.turnId === turnId);
    };
    expect(await claim()).toMatchObject({ waitingFor: null });
    await inputs.prepare(newRequest(turnId));
    await inputs.open(turnId, 1, announcement);
    const waitingFor = {
      inputId: 'waiting/1',
      kind: 'approval',
      expiresAt: announcement.expiresAt.toISOString(),
    };
    expect(await turns.find(turnId)).toMatchObject({ status: 'running', waitingFor });
    expect(await turns.insert({ ...input, turnId: 'next' }, 'other', userMessage)).toMatchObject({
      kind: 'busy',
      row: { turnId, waitingFor },
    });
    expect(await turns.countRunning()).toBe(running - 1);
    expect(await turns.listRunning('wanda', 'two_stage')).toEqual([]);
    expect(await claim()).toBeUndefined();
    await database.db
      .updateTable('turns')
      .set({ swept_at: new Date(Date.now() - 601_000) })
      .where('turn_id', '=', turnId)
      .execute();
    expect(await claim()).toMatchObject({ waitingFor });
    const conversations = createConversationLists(database.db);
    const page = { projectId: input.projectId, limit: 1, offset: 0 };
    expect((await conversations.listTurns(page)).rows).toMatchObject([{ turnId, status: 'waiting' }]);
    expect((await conversations.listConversations(page)).rows).toMatchObject([
      { lastTurn: { turnId, status: 'waiting' } },
    ]);
    await inputs.close(turnId, [resolved(turnId)]);
    expect(await turns.find(turnId)).toMatchObject({ waitingFor: null });
    expect(await turns.listRunning('wanda', 'two_stage')).toEqual([turnId]);
  });
});

describe('many turns that wait', () => {
  const TEN_MINUTES_AGO = sql`now() - interval '601 seconds'`;
  const claimed = async (limit: number): Promise<readonly string[]> =>
    (await turns.claimRunning({ olderThanMs: 0, limit })).map(({ turnId }) => turnId);
  /** Adds `count` turns that have waited for ten minutes; they were last swept at `sweptAt`, or never. */
  const wait = async (count: number, since: { readonly sweptAt?: RawBuilder<unknown> }): Promise<void> => {
    const model = await started('many');
    await sql`
      insert into turns (turn_id, project_id, conversation_id, request_hash, start_input, protocol, mode, model, started_at, swept_at)
      select 'many-' || n, project_id, 'c' || n, request_hash, start_input, protocol, mode, model, ${TEN_MINUTES_AGO}, ${since.sweptAt ?? sql`null`}
      from turns, generate_series(1, ${count}) n where turn_id = ${model}`.execute(database.db);
    await sql`
      insert into input_requests (turn_id, n, kind, request, state)
      select 'many-' || n, 1, 'approval', '{"options":[]}', 'open' from generate_series(1, ${count}) n`.execute(
      database.db,
    );
    await sql`update turns set swept_at = now() where turn_id = ${model}`.execute(database.db);
  };
  beforeEach(() => sql`update turns set swept_at = now()`.execute(database.db));
  afterEach(async () => {
    for (const table of ['input_requests', 'turns']) {
      await sql`delete from ${sql.table(table)} where turn_id like 'many-%'`.execute(database.db);
    }
  });

  it('are swept after ten minutes, also those that were never swept before', async () => {
    await wait(2, {});
    await sql`update turns set started_at = now() where turn_id = 'many-2'`.execute(database.db);
    expect(await claimed(100)).toEqual(['many-1']);
    expect(await claimed(100)).toEqual([]);
  });

  it.each([undefined, 30])(
    'keep none back that has lost its workflow, swept so many seconds ago: %s',
    async (seconds) => {
      await wait(1_001, { sweptAt: TEN_MINUTES_AGO });
      const orphan = await started(`orphan-${seconds}`);
      const sweptAt = seconds === undefined ? null : new Date(Date.now() - seconds * 1_000);
      await database.db
        .updateTable('turns')
        .set({ swept_at: sweptAt })
        .where('turn_id', '=', orphan)
        .execute();
      expect(await claimed(1)).toEqual([orphan]);
    },
  );
});
