import { budgetsSchema } from '../../../src/contracts/turn/budgets.ts';
import type { TerminalEvent, TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import type { RunningTurnProgress, TurnReader, TurnView } from '../../../src/gateway/ports/turn-views.ts';
import type { NewTurn } from '../../../src/gateway/ports/new-turn.ts';
import type { StartOutcome, TurnStarter } from '../../../src/gateway/ports/turn-starts.ts';
import type { TurnCanceller } from '../../../src/gateway/ports/turn-controls.ts';
import type { DurablePage, TurnSources } from '../../../src/gateway/hub/turn-sources.ts';
import type { EndedTurn } from '../../../src/gateway/health/turn-end-counter.ts';
import { formatEventId, type EventId } from '../../../src/contracts/wire/event-id.ts';
import { eventsAfter, packEvents, type LoggedEvent } from '../../../src/protocol/event-log/event-log.ts';

const NO_WASTE = { duplicatesRefused: 0, retriedTokens: 0, discardedCharacters: 0 };

interface FakeTurn {
  readonly request: NewTurn;
  readonly startedBy: string | undefined;
  view: TurnView;
  readonly events: LoggedEvent[];
}

/**
 * Turns in memory that stand in for Postgres and Temporal. Suites hold starts and sources to the real ones. `find`,
 * `cancel` and the lists of turns may differ: a cancelled turn, for example, ends only when the test ends it.
 */
export class FakeTurns implements TurnStarter, TurnReader, TurnCanceller, TurnSources {
  readonly byId = new Map<string, FakeTurn>();
  readonly cancelled: string[] = [];
  starts = 0;
  live: RunningTurnProgress | undefined;
  /** When set, the answer to every start. */
  outcome: StartOutcome | undefined;
  /** When set, every call that would reach a server throws it. */
  failure: Error | undefined;
  isHanging = false;

  async start(turn: NewTurn, startedBy?: string): Promise<StartOutcome> {
    this.starts += 1;
    await this.#reach();
    if (this.outcome) return this.outcome;
    const known = this.byId.get(turn.turnId);
    if (known) {
      const same = known.request.requestHash === turn.requestHash;
      return same ? { kind: 'attached', turnId: turn.turnId } : { kind: 'idempotency_conflict' };
    }
    const { parentTurnId: parent } = turn;
    const before = typeof parent === 'string' ? this.byId.get(parent)?.view : undefined;
    if (typeof parent === 'string' && !(before && inSame(before, turn))) {
      return { kind: 'unknown_parent', turnId: parent };
    }
    const busy = [...this.byId.values()].find(({ view }) => view.status === 'running' && inSame(view, turn));
    const waitingFor = busy?.view.waitingFor?.inputId;
    if (busy) {
      const { turnId } = busy.view;
      return { kind: 'turn_in_progress', turnId, ...(waitingFor !== undefined && { waitingFor }) };
    }
    this.byId.set(turn.turnId, { request: turn, startedBy, view: viewOf(turn), events: [] });
    return { kind: 'started', turnId: turn.turnId };
  }

  async find(turnId: string): Promise<TurnView | undefined> {
    await this.#reach();
    return this.byId.get(turnId)?.view;
  }

  async listRunning(startedBy: string, protocol: string): Promise<string[]> {
    await this.#reach();
    const mine = [...this.byId.values()].filter((turn) => turn.startedBy === startedBy);
    return mine
      .filter(({ view }) => view.status === 'running' && view.protocol === protocol)
      .map(({ view }) => view.turnId);
  }

  async findEndStatuses(turnIds: readonly string[]): Promise<EndedTurn[]> {
    await this.#reach();
    return turnIds.flatMap((turnId) => {
      const status = this.byId.get(turnId)?.view.status;
      return status === undefined || status === 'running' ? [] : [{ turnId, status }];
    });
  }

  readProgress(): Promise<RunningTurnProgress | undefined> {
    return Promise.resolve(this.live);
  }

  async cancel(turnId: string, by: string): Promise<void> {
    await this.#reach();
    this.cancelled.push(turnId);
    const turn = this.byId.get(turnId);
    if (turn?.view.status === 'running') {
      turn.view = { ...turn.view, cancelledBy: turn.view.cancelledBy ?? by };
    }
  }

  queryEvents(turnId: string, from: EventId | null): Promise<DurablePage> {
    const turn = this.byId.get(turnId);
    if (turn?.view.status !== 'running') return Promise.resolve({ batches: [], more: false, isClosed: true });
    return Promise.resolve({ batches: packEvents(eventsAfter(turn.events, from)), more: false });
  }

  findEnded(turnId: string): Promise<{ events: LoggedEvent[] } | undefined> {
    const turn = this.byId.get(turnId);
    const isEnded = turn !== undefined && turn.view.status !== 'running';
    return Promise.resolve(isEnded ? { events: turn.events } : undefined);
  }

  reconcile(): Promise<void> {
    return Promise.resolve();
  }

  /** Has the model say something: it is stored durably, and returned for the lane. */
  say(turnId: string, ...said: (string | TurnEvent)[]): LoggedEvent[] {
    const { events } = this.#get(turnId);
    const fresh = said.map((what, index): LoggedEvent => {
      const seq = events.length + index + 1;
      const event: TurnEvent = typeof what === 'string' ? { type: 'chunk', content: what } : what;
      return { id: { epoch: 101, seq }, event, ...(seq === 1 && { after: null }) };
    });
    events.push(...fresh);
    return fresh;
  }

  /** Ends the turn; the row says so before anybody hears of it. */
  end(turnId: string, event: TerminalEvent): LoggedEvent[] {
    const turn = this.#get(turnId);
    const last = this.say(turnId, event);
    const id = formatEventId(turn.events.at(-1)!.id);
    turn.view = {
      ...turn.view,
      status: event.type === 'done' ? event.status : 'failed',
      reason: event.type === 'done' ? event.reason : event.code,
      content: event.type === 'done' ? event.fullContent : null,
      usage: event.type === 'done' ? event.usage : null,
      terminal: { id },
      waste: NO_WASTE,
      cost: null,
      phase: 0,
      cycle: 0,
      endedAt: new Date('2026-01-02T03:04:09Z'),
    };
    return last;
  }

  #get(turnId: string): FakeTurn {
    const turn = this.byId.get(turnId);
    if (!turn) throw new Error(`no turn ${turnId}`);
    return turn;
  }

  #reach(): Promise<void> {
    if (this.failure) return Promise.reject(this.failure);
    return this.isHanging ? new Promise(() => {}) : Promise.resolve();
  }
}

const inSame = (view: TurnView, turn: NewTurn): boolean =>
  view.projectId === turn.projectId && view.conversationId === turn.conversationId;

const viewOf = ({
  turnId,
  projectId,
  conversationId,
  protocol,
  mode,
  maxPhaseCycles,
  inputs,
  clientTools,
  model,
}: NewTurn): TurnView => ({
  turnId,
  projectId,
  conversationId,
  protocol,
  mode,
  status: 'running',
  reason: null,
  ...(clientTools && { clientTools }),
  input: {
    budgets: budgetsSchema.parse({ maxPhaseCycles }),
    ...(model !== undefined && { model }),
    inputs: {
      approvals: { rules: [], setting: 'never' },
      expiryMs: 1_000,
      accepts: [...(inputs ?? []), ...(clientTools ? ['client_tool' as const] : [])],
    },
  },
  phase: null,
  cycle: null,
  usage: null,
  waste: null,
  cost: null,
  content: null,
  cancelledBy: null,
  waitingFor: null,
  terminal: null,
  startedAt: new Date('2026-01-02T03:04:05Z'),
  endedAt: null,
});
