/** Starting a turn: the insert is the commit, Temporal and Postgres may be out of reach at any step. */
import { describe, expect, it } from '@jest/globals';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { Client } from '@temporalio/client';
import { budgetsSchema } from '../../../src/contracts/budgets.ts';
import type { TurnInput } from '../../../src/contracts/payload/turn-workflow.ts';
import type { TurnRepository } from '../../../src/db/turn-repository.ts';
import type { TurnRow } from '../../../src/db/turn-row.ts';
import type { Place } from '../../../src/gateway/turns/admission.ts';
import { createTurnStarter } from '../../../src/gateway/turns/turn-starter.ts';
import type { NewTurn } from '../../../src/gateway/ports/turns.ts';

const newTurn = (turnId: string, overrides: Partial<NewTurn> = {}): NewTurn => ({
  turnId,
  projectId: 'p',
  conversationId: 'c',
  content: 'Hello?',
  mode: 'act',
  protocol: 'two_stage',
  metadata: {},
  requestHash: 'hash',
  ...overrides,
});

const refused = (code: string): Error => Object.assign(new Error(code), { code });
const unreachableTemporal = (): Error =>
  Object.assign(new Error('14 UNAVAILABLE'), { code: 14, details: 'No connection', metadata: {} });

/** Rows in memory by the rules of the table, and a Temporal that knows which workflows run or have ended. */
class World {
  readonly rows = new Map<string, TurnRow>();
  readonly started: TurnInput[] = [];
  readonly closedWorkflows = new Set<string>();
  admits = true;
  databaseDown = false;
  temporalDown = false;

  readonly starter = createTurnStarter({
    client: this.#client(),
    turns: this.#turns(),
    taskQueue: 'orion',
    admission: { admit: () => this.#admit() },
    hasSearchAttributes: () => Promise.resolve(false),
    defaults: {
      budgets: budgetsSchema.parse({}),
      model: 'fake',
      toolResultRole: 'tool',
      projects: new Map([
        ['warm', { temperature: { plan: 0, act: 1.5 } }],
        ['half', { temperature: { plan: 1 } }],
      ]),
      heartbeatTimeoutMs: 10_000,
      sessionInactivityMs: 300_000,
      liveLane: 'http://127.0.0.1:5000',
    },
  });

  /** What became of the turns that were let in. */
  readonly fates: string[] = [];

  #admit(): Place | undefined {
    if (!this.admits) return undefined;
    return {
      stored: () => void this.fates.push('stored'),
      withdraw: () => void this.fates.push('withdrawn'),
    };
  }

  row(turnId: string): TurnRow {
    const row = this.rows.get(turnId);
    if (!row) throw new Error(`no row ${turnId}`);
    return row;
  }

  #client(): Client {
    const start = (_type: string, options: { workflowId: string; args: [TurnInput] }): Promise<object> => {
      if (this.temporalDown) return Promise.reject(unreachableTemporal());
      if (this.closedWorkflows.has(options.workflowId)) {
        return Promise.reject(
          new WorkflowExecutionAlreadyStartedError('closed', options.workflowId, 'turnWorkflow'),
        );
      }
      this.started.push(options.args[0]);
      return Promise.resolve({});
    };
    const withDeadline = (_deadline: number, call: () => Promise<unknown>): Promise<unknown> => call();
    return { workflow: { start }, withDeadline } as unknown as Client;
  }

  #turns(): TurnRepository {
    const insert: TurnRepository['insert'] = (input, requestHash) => {
      if (this.databaseDown) return Promise.reject(refused('ECONNREFUSED'));
      const own = this.rows.get(input.turnId);
      if (own) return Promise.resolve({ kind: 'exists', row: own });
      const busy = [...this.rows.values()].find(
        (row) => row.status === 'running' && row.conversationId === input.conversationId,
      );
      if (busy) return Promise.resolve({ kind: 'busy', row: busy });
      const row = { ...input, input, requestHash, runId: null, status: 'running' } as unknown as TurnRow;
      this.rows.set(input.turnId, row);
      return Promise.resolve({ kind: 'inserted', row });
    };
    const close = ({ turnId }: { turnId: string }): Promise<unknown> => {
      this.rows.set(turnId, { ...this.row(turnId), status: 'failed' });
      return Promise.resolve({ won: true });
    };
    const find = (turnId: string): Promise<TurnRow | undefined> => Promise.resolve(this.rows.get(turnId));
    return {
      insert,
      close,
      find,
    } as unknown as TurnRepository;
  }
}

describe('a turn starter', () => {
  it('stores the turn, then starts its workflow with the same input', async () => {
    const world = new World();
    await expect(world.starter.start(newTurn('t1', { maxPhaseCycles: 25 }))).resolves.toEqual({
      kind: 'started',
      turnId: 't1',
    });
    expect(world.started).toEqual([world.row('t1').input]);
    expect(world.started[0]?.budgets.maxPhaseCycles).toBe(25);
  });

  it.each([
    ['warm', 'act', { temperature: 1.5 }],
    ['warm', 'plan', { temperature: 0 }],
    ['half', 'act', {}],
    ['constructor', 'act', {}],
  ] as const)('gives a turn of project %s in %s mode %j', async (projectId, mode, expected) => {
    const world = new World();
    await world.starter.start(newTurn('t1', { projectId, mode }));
    const input = Object.entries(world.started[0] ?? {});
    expect(Object.fromEntries(input.filter(([field]) => field === 'temperature'))).toStrictEqual(expected);
  });

  it('attaches to the same request and refuses another one under its id', async () => {
    const world = new World();
    await world.starter.start(newTurn('t1'));
    await expect(world.starter.start(newTurn('t1'))).resolves.toEqual({ kind: 'attached', turnId: 't1' });
    await expect(world.starter.start(newTurn('t1', { requestHash: 'other' }))).resolves.toEqual({
      kind: 'idempotency_conflict',
    });
    expect(world.started).toHaveLength(1);
  });

  it('names the turn that keeps a conversation busy', async () => {
    const world = new World();
    await world.starter.start(newTurn('t1'));
    await expect(world.starter.start(newTurn('t2'))).resolves.toEqual({
      kind: 'turn_in_progress',
      turnId: 't1',
    });
  });

  it('is not blocked by a turn whose workflow was ended from outside', async () => {
    const world = new World();
    await world.starter.start(newTurn('t1'));
    world.closedWorkflows.add('turn/t1');
    await expect(world.starter.start(newTurn('t2'))).resolves.toMatchObject({ kind: 'started' });
    expect(world.row('t1').status).toBe('failed');
  });

  it('keeps the turn when Temporal is out of reach after the insert, and says under which id', async () => {
    const world = new World();
    world.temporalDown = true;
    await expect(world.starter.start(newTurn('t1'))).resolves.toEqual({
      kind: 'unavailable',
      what: 'temporal',
      turnId: 't1',
    });
    expect(world.row('t1').status).toBe('running');
  });

  it('says that Postgres is out of reach, and starts nothing', async () => {
    const world = new World();
    world.databaseDown = true;
    await expect(world.starter.start(newTurn('t1'))).resolves.toEqual({
      kind: 'unavailable',
      what: 'database',
    });
    expect(world.started).toEqual([]);
  });

  it('gives back the place of every turn that is not stored', async () => {
    const world = new World();
    await world.starter.start(newTurn('t1'));
    await world.starter.start(newTurn('t1'));
    await world.starter.start(newTurn('t1', { requestHash: 'other' }));
    await world.starter.start(newTurn('t2'));
    world.databaseDown = true;
    await world.starter.start(newTurn('t3'));
    expect(world.fates).toEqual(['stored', ...Array<string>(4).fill('withdrawn')]);
  });

  it('refuses new turns when there are too many, but not a repeat of one of them', async () => {
    const world = new World();
    await world.starter.start(newTurn('t1'));
    world.admits = false;
    await expect(world.starter.start(newTurn('t2', { conversationId: 'other' }))).resolves.toMatchObject({
      kind: 'overloaded',
    });
    await expect(world.starter.start(newTurn('t1'))).resolves.toMatchObject({ kind: 'attached' });
  });
});
