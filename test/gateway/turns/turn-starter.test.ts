/** Covers the start of a turn: the insert accepts it, and Temporal or Postgres may be out of reach at any step. */
import { describe, expect, it } from '@jest/globals';
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { budgetsSchema } from '../../../src/contracts/turn/budgets.ts';
import type { TurnInput } from '../../../src/contracts/payload/turn-workflow-payloads.ts';
import type { TurnRepository } from '../../../src/db/turns/turn-repository.ts';
import type { AdmittedTurn, RefusedTurn } from '../../../src/gateway/admission/load-limit.ts';
import { createTurnStarter } from '../../../src/gateway/turns/turn-starter.ts';
import type { NewTurn } from '../../../src/gateway/ports/new-turn.ts';
import { partOf } from '../../support/part-of.ts';
import { withoutDeadline } from '../../support/without-deadline.ts';
import { MemoryTurnRows } from '../support/memory-turn-rows.ts';

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

/**
 * Rows in memory, and a Temporal that knows which workflows have ended. No suite checks this Temporal: it starts every
 * other workflow, also a second time.
 */
class StarterWorld {
  readonly rows = new MemoryTurnRows();
  readonly started: TurnInput[] = [];
  readonly closedWorkflows = new Set<string>();
  refusal: RefusedTurn | undefined;
  isDatabaseDown = false;
  /** True when Postgres cannot be reached any longer once a row is to be closed. */
  isCloseDown = false;
  isTemporalDown = false;

  readonly starter = createTurnStarter({
    client: this.#client(),
    turns: this.#turns(),
    taskQueue: 'orion',
    loadLimit: { admit: () => this.#admit() },
    hasSearchAttributes: () => Promise.resolve(false),
    defaults: {
      budgets: budgetsSchema.parse({}),
      model: 'fake',
      fallbacks: new Map([['own', [{ model: 'spare', promptTokens: 9 }]]]),
      toolResultRole: 'tool',
      projects: new Map([
        ['warm', { temperature: { plan: 0, act: 1.5 } }],
        ['half', { temperature: { plan: 1 } }],
      ]),
      heartbeatTimeoutMs: 10_000,
      sessionInactivityMs: 300_000,
      notifies: false,
      inputs: { approvals: { rules: [], setting: 'never' }, expiryMs: 86_400_000 },
      maxPhaseCyclesLimit: 50,
      liveLane: 'http://127.0.0.1:5000',
    },
  });

  /** What became of the turns that were admitted. */
  readonly fates: string[] = [];

  #admit(): AdmittedTurn | RefusedTurn {
    if (this.refusal) return this.refusal;
    return {
      kind: 'admitted',
      stored: () => void this.fates.push('stored'),
      withdraw: () => void this.fates.push('withdrawn'),
    };
  }

  #client(): Client {
    const start = (_type: string, options: { workflowId: string; args: [TurnInput] }): Promise<object> => {
      if (this.isTemporalDown) return Promise.reject(unreachableTemporal());
      if (this.closedWorkflows.has(options.workflowId)) {
        return Promise.reject(
          new WorkflowExecutionAlreadyStartedError('closed', options.workflowId, 'turnWorkflow'),
        );
      }
      this.started.push(options.args[0]);
      return Promise.resolve({});
    };
    return partOf<Client>({
      options: { namespace: 'default' },
      workflow: { start },
      // The history is empty: Temporal no longer keeps anything of the closed workflow.
      workflowService: { getWorkflowExecutionHistory: () => Promise.resolve({}) },
      withDeadline: withoutDeadline,
    });
  }

  #turns(): TurnRepository {
    const insert: TurnRepository['insert'] = (...turn) =>
      this.isDatabaseDown ? Promise.reject(refused('ECONNREFUSED')) : this.rows.insert(...turn);
    const close: MemoryTurnRows['close'] = (turn) =>
      this.isCloseDown ? Promise.reject(refused('ECONNREFUSED')) : this.rows.close(turn);
    return partOf<TurnRepository>({ insert, close, find: this.rows.find });
  }
}

describe('a turn starter', () => {
  it('stores the turn, then starts its workflow with the same input', async () => {
    const world = new StarterWorld();
    await expect(world.starter.start(newTurn('t1', { maxPhaseCycles: 25 }))).resolves.toEqual({
      kind: 'started',
      turnId: 't1',
    });
    expect(world.started).toEqual([world.rows.row('t1').input]);
    expect(world.started[0]?.budgets.maxPhaseCycles).toBe(25);
  });

  it.each([
    ['warm', 'act', { temperature: 1.5 }],
    ['warm', 'plan', { temperature: 0 }],
    ['half', 'act', {}],
    ['constructor', 'act', {}],
  ] as const)('gives a turn of project %s in %s mode %j', async (projectId, mode, expected) => {
    const world = new StarterWorld();
    await world.starter.start(newTurn('t1', { projectId, mode }));
    const input = Object.entries(world.started[0] ?? {});
    expect(Object.fromEntries(input.filter(([field]) => field === 'temperature'))).toStrictEqual(expected);
  });

  it('gives the turn the input kinds that its client shows, each once, and none where it shows none', async () => {
    const world = new StarterWorld();
    await world.starter.start(newTurn('t1', { inputs: ['limit', 'limit'] }));
    expect(world.started[0]).toMatchObject({
      inputs: { accepts: ['limit'], approvals: { setting: 'never' } },
    });
    const clientTools = [{ name: 'a', description: 'x', parameters: {}, effect: 'write' as const }];
    await world.starter.start(newTurn('t3', { clientTools, conversationId: 'third' }));
    expect(world.started[1]).toMatchObject({ inputs: { accepts: ['client_tool'] } });
    expect(JSON.stringify(world.started[1])).not.toContain('"a"');
    await world.starter.start(newTurn('t2', { inputs: [], conversationId: 'other' }));
    expect(world.started[2]).not.toHaveProperty('inputs');
    expect(world.started[2]).not.toHaveProperty('maxPhaseCyclesLimit');
  });

  it('attaches to the same request and refuses another request under its id', async () => {
    const world = new StarterWorld();
    await world.starter.start(newTurn('t1'));
    await expect(world.starter.start(newTurn('t1'))).resolves.toEqual({ kind: 'attached', turnId: 't1' });
    await expect(world.starter.start(newTurn('t1', { requestHash: 'other' }))).resolves.toEqual({
      kind: 'idempotency_conflict',
    });
    expect(world.started).toHaveLength(1);
  });

  it('names the turn that keeps a conversation of its project busy', async () => {
    const world = new StarterWorld();
    await world.starter.start(newTurn('t1'));
    await expect(world.starter.start(newTurn('t2'))).resolves.toEqual({
      kind: 'turn_in_progress',
      turnId: 't1',
    });
    await expect(world.starter.start(newTurn('t2', { projectId: 'q' }))).resolves.toEqual({
      kind: 'started',
      turnId: 't2',
    });
  });

  it('is not blocked by a turn whose workflow was ended from outside', async () => {
    const world = new StarterWorld();
    await world.starter.start(newTurn('t1'));
    world.closedWorkflows.add('turn/t1');
    await expect(world.starter.start(newTurn('t2'))).resolves.toMatchObject({ kind: 'started' });
    expect(world.rows.row('t1').status).toBe('failed');
  });

  it('keeps the turn when Temporal is out of reach after the insert, and says under which id', async () => {
    const world = new StarterWorld();
    world.isTemporalDown = true;
    await expect(world.starter.start(newTurn('t1'))).resolves.toEqual({
      kind: 'unavailable',
      server: 'temporal',
      turnId: 't1',
    });
    expect(world.rows.row('t1').status).toBe('running');
  });

  it('says under which id the turn is kept when Postgres is out of reach after the insert', async () => {
    const world = new StarterWorld();
    world.closedWorkflows.add('turn/t1');
    world.isCloseDown = true;
    await expect(world.starter.start(newTurn('t1'))).resolves.toEqual({
      kind: 'unavailable',
      server: 'database',
      turnId: 't1',
    });
  });

  it('says that Postgres is out of reach, and starts nothing', async () => {
    const world = new StarterWorld();
    world.isDatabaseDown = true;
    await expect(world.starter.start(newTurn('t1'))).resolves.toEqual({
      kind: 'unavailable',
      server: 'database',
    });
    expect(world.started).toEqual([]);
  });

  it('gives back the place of every turn that is not stored', async () => {
    const world = new StarterWorld();
    await world.starter.start(newTurn('t1'));
    await world.starter.start(newTurn('t1'));
    await world.starter.start(newTurn('t1', { requestHash: 'other' }));
    await world.starter.start(newTurn('t2'));
    world.isDatabaseDown = true;
    await world.starter.start(newTurn('t3'));
    expect(world.fates).toEqual(['stored', ...Array<string>(4).fill('withdrawn')]);
  });

  it.each(['running', 'starting'] as const)(
    'refuses new turns when too many are %s, but not a repeat of one of them',
    async (cause) => {
      const world = new StarterWorld();
      await world.starter.start(newTurn('t1'));
      world.refusal = { kind: 'refused', cause, retryAfterSeconds: 7 };
      await expect(world.starter.start(newTurn('t2', { conversationId: 'other' }))).resolves.toEqual({
        kind: 'overloaded',
        cause,
        retryAfterSeconds: 7,
      });
      expect(await world.rows.find('t2')).toBeUndefined();
      await expect(world.starter.start(newTurn('t1'))).resolves.toMatchObject({ kind: 'attached' });
    },
  );
});
