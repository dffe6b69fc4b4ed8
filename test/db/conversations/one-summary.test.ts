/** A prompt has one summary, whoever asks for it, is killed or comes late; tested over a real Postgres. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { sql } from 'kysely';
import type { CompactInput } from '../../../src/contracts/payload/compact-payloads.ts';
import { MAX_ANSWER_TOKENS } from '../../../src/contracts/model/model-message.ts';
import { createSummaryClaims } from '../../../src/db/conversations/summary-claims.ts';
import { createSummaryRepository } from '../../../src/db/conversations/summary-repository.ts';
import { createStartCompaction } from '../../../src/turn-service/start-compaction.ts';
import { createRandom } from '../../support/random.ts';
import { eventually } from '../../support/eventually.ts';
import { partOf } from '../../support/part-of.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { PlayedTurns } from '../support/played-turns.ts';
import { withoutDeadline } from '../../support/without-deadline.ts';

/** Seven turns fill more than 70 % of either window; 60 % of it are six turns in one of them and five in the other. */
const WINDOW = {
  tokens: 4_000,
  messages: undefined,
  contextWindows: new Map([['narrow', MAX_ANSWER_TOKENS + 3_400]]),
};
const WIDE = { content: 'x'.repeat(1_600) };
const NARROW = { content: 'x', model: 'narrow' };

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

interface Workflow {
  readonly input: CompactInput;
  endedAt: Date | undefined;
}

/** Starts workflows as Temporal does: a workflow id is never used twice. */
class Workflows {
  readonly #all = new Map<string, Workflow>();

  readonly client = partOf<Client>({
    withDeadline: withoutDeadline,
    workflow: {
      start: (_type: string, options: { readonly workflowId: string; readonly args: [CompactInput] }) => {
        const { workflowId, args } = options;
        if (this.#all.has(workflowId)) {
          return Promise.reject(new WorkflowExecutionAlreadyStartedError('', workflowId, ''));
        }
        this.#all.set(workflowId, { input: args[0], endedAt: undefined });
        return Promise.resolve({ firstExecutionRunId: 'r' });
      },
      getHandle: (workflowId: string) => ({
        describe: () => Promise.resolve({ closeTime: this.#all.get(workflowId)?.endedAt }),
      }),
    },
  });

  get all(): readonly Workflow[] {
    return [...this.#all.values()];
  }

  get running(): readonly Workflow[] {
    return this.all.filter(({ endedAt }) => endedAt === undefined);
  }
}

/** How long a worker that starts a summary lives. */
type Life = 'goes on' | 'killed before it claims' | 'killed before it starts';

/** A conversation in which turns end. */
class TestConversation {
  readonly workflows = new Workflows();
  readonly #name: string;
  readonly #summaries = createSummaryRepository(database.db);
  readonly #turns = new PlayedTurns(database.db, WINDOW);
  #count = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** Runs a turn without what follows its end; resolves to its id. */
  async run(like: { readonly content: string; readonly model?: string } = WIDE): Promise<string> {
    const turnId = `${this.#name}-${(this.#count += 1)}`;
    await this.#turns.play(turnId, this.#name, like);
    return turnId;
  }

  async end(turnId: string, life: Life = 'goes on'): Promise<void> {
    const killed = () => Promise.reject(new Error('killed'));
    const findTurnsToSummarise = (id: string) => this.#turns.findTurnsToSummarise(id);
    const { abandon, claim } = createSummaryClaims(database.db);
    const claims = { abandon, claim: life === 'killed before it claims' ? killed : claim };
    const client =
      life === 'killed before it starts' ? partOf<Client>({ withDeadline: killed }) : this.workflows.client;
    const start = createStartCompaction(
      { client, taskQueue: 'queue', findTurnsToSummarise, claims },
      { warn: () => undefined },
    );
    await start(turnId);
  }

  /** Runs turns until one of them needs a summary; that turn has not ended. */
  async fill(): Promise<string> {
    for (;;) {
      const turnId = await this.run();
      if (await this.#turns.findTurnsToSummarise(turnId)) return turnId;
    }
  }

  /** Returns the summary that a turn needs. */
  async neededSummaryOf(turnId: string): Promise<string | undefined> {
    return (await this.#turns.findTurnsToSummarise(turnId))?.turnId;
  }

  /** Takes a step of a summary, which covers half of the turns that it does not cover yet, rounded up. */
  async step({ input }: Workflow): Promise<'open' | 'ready' | 'gone'> {
    const work = await this.#summaries.loadWork(input);
    if (work.kind !== 'open') return work.kind;
    const done = work.done + Math.ceil(work.rest.length / 2);
    const usage = { promptTokens: 1, completionTokens: 1 };
    await this.#summaries.store(input.turnId, { before: work.done, done, content: 'Tea.', tokens: 5, usage });
    return 'open';
  }

  async finish(workflow: Workflow): Promise<'ready' | 'gone'> {
    for (;;) {
      const came = await this.step(workflow);
      if (came !== 'open') return came;
    }
  }

  /** Returns the first turn that each summary covers. */
  async anchors(): Promise<(string | undefined)[]> {
    const rows = await database.db
      .selectFrom('conversation_summaries')
      .select('turn_ids')
      .where('turn_id', 'like', `${this.#name}-%`)
      .execute();
    return rows.map(({ turn_ids: [first] }) => first);
  }
}

/** Lets the work continue once `waiting` of its statements wait to store a row, or wait for one that does. */
const runHeldBack = async (waiting: number, work: () => Promise<unknown>): Promise<void> => {
  const working = await database.db.transaction().execute(async (trx) => {
    await sql`lock table conversation_summaries in share mode`.execute(trx);
    const begun = work();
    await eventually('those that wait', async () => {
      // Without this the transaction would see the activity of its first look again.
      await sql`select pg_stat_clear_snapshot()`.execute(trx);
      const { rows } = await sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(trx);
      return rows.length === waiting;
    });
    return { begun };
  });
  await working.begun;
};

const longAgo = (): Date => new Date(Date.now() - 60_000);

describe('turns that end before the first step of a summary', () => {
  it('with models of other windows wait for the one that was begun', async () => {
    const talk = new TestConversation('windows');
    const wide = await talk.fill();
    await talk.end(wide);
    const narrow = await talk.run(NARROW);
    expect(await talk.neededSummaryOf(narrow)).not.toBe(await talk.neededSummaryOf(wide));
    await talk.end(narrow);
    expect(talk.workflows.all.map(({ input }) => input.leafTurnId)).toEqual([wide]);
    expect(await talk.anchors()).toEqual(['windows-1']);
  });

  it('at the same time begin one', async () => {
    const talk = new TestConversation('at-once');
    const wide = await talk.fill();
    const narrow = await talk.run(NARROW);
    await runHeldBack(2, () => Promise.all([wide, narrow].map((turnId) => talk.end(turnId))));
    expect(talk.workflows.all).toHaveLength(1);
    expect(await talk.anchors()).toEqual(['at-once-1']);
  });

  it('later than one whose worker was killed start that one', async () => {
    const talk = new TestConversation('killed');
    const first = await talk.fill();
    await talk.end(first, 'killed before it starts');
    expect(talk.workflows.all).toEqual([]);
    const begun = await talk.neededSummaryOf(first);
    const narrow = await talk.run(NARROW);
    await talk.end(narrow);
    expect(talk.workflows.all.map(({ input }) => input)).toEqual([{ turnId: begun, leafTurnId: narrow }]);
    expect(await Promise.all(talk.workflows.all.map((one) => talk.finish(one)))).toEqual(['ready']);
  });

  it('allow another one where nobody continues that one', async () => {
    const talk = new TestConversation('ended');
    await talk.end(await talk.fill());
    const [first] = talk.workflows.all;
    const narrow = await talk.run(NARROW);
    await talk.end(narrow);
    expect(await talk.anchors()).toHaveLength(1);
    if (first) first.endedAt = longAgo();
    await talk.end(narrow);
    expect(await talk.anchors()).toEqual([]);
    await talk.end(narrow);
    expect(talk.workflows.running.map(({ input }) => input.leafTurnId)).toEqual([narrow]);
    expect(await talk.anchors()).toEqual(['ended-1']);
  });
});

it.each(Array.from({ length: 6 }, (_, seed) => seed))(
  'no prompt has two summaries in any order of turns, kills and steps (seed %i)',
  async (seed) => {
    const random = createRandom(seed);
    const talk = new TestConversation(`any-${seed}`);
    const any = <T>(...list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const late: string[] = [];
    for (let n = 0; n < 24; n += 1) {
      late.push(await talk.run(any(WIDE, WIDE, NARROW)));
      const ending = late.filter(() => random() < 0.5);
      await Promise.all([
        ...ending.map((id) =>
          talk.end(id, any('goes on', 'goes on', 'killed before it claims', 'killed before it starts')),
        ),
        ...talk.workflows.running.filter(() => random() < 0.3).map((workflow) => talk.step(workflow)),
      ]);
      for (const workflow of talk.workflows.running) if (random() < 0.1) workflow.endedAt = longAgo();
      const anchors = await talk.anchors();
      expect(new Set(anchors).size).toBe(anchors.length);
    }
    // The last worker may have died with the only claim. The first end then gives it up, and the second makes one.
    const last = await talk.fill();
    await talk.end(last);
    await talk.end(last);
    await Promise.all(talk.workflows.running.map((workflow) => talk.finish(workflow)));
    expect(await talk.anchors()).not.toEqual([]);
    const anchors = await talk.anchors();
    expect(new Set(anchors).size).toBe(anchors.length);
  },
);
