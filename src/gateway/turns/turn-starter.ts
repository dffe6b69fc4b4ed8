import type { Projects } from '../../config/projects-file.ts';
import type { Budgets } from '../../contracts/budgets.ts';
import type { TurnInput } from '../../contracts/payload/turn-workflow.ts';
import type { InsertOutcome } from '../../db/turn-insert.ts';
import type { TurnRow } from '../../db/turn-row.ts';
import { reconcileTurn, type ReconcileDeps } from '../../turns/reconcile.ts';
import { isTemporalUnavailable } from '../../temporal/temporal-unavailable.ts';
import type { Admission } from './admission.ts';
import type { NewTurn, StartOutcome, TurnStarter } from '../ports/turns.ts';
import { unavailableOf } from '../../turns/unavailable.ts';

const RETRY_AFTER_SECONDS = 5;

/** The part of a turn's input that the configuration decides. */
export interface TurnDefaults {
  readonly budgets: Budgets;
  readonly model: string;
  readonly toolResultRole: TurnInput['toolResultRole'];
  readonly projects: Projects;
  readonly heartbeatTimeoutMs: number;
  readonly sessionInactivityMs: number;
  /** Base URL of this gateway for the live lane; undefined when the lane is off. */
  readonly liveLane: string | undefined;
}

export interface TurnStarterDeps extends ReconcileDeps {
  readonly defaults: TurnDefaults;
  readonly admission: Pick<Admission, 'admit'>;
  /** Whether the namespace has Orion's search attributes; throws while Temporal cannot be reached. */
  readonly hasSearchAttributes: () => Promise<boolean>;
}

/**
 * Starts turns (docs/turns.md "Starting a turn"): the inserted row is the commit, the workflow follows it. When
 * Temporal is out of reach after the insert, the sweeper starts the workflow later.
 */
export const createTurnStarter = (deps: TurnStarterDeps): TurnStarter => ({
  start: async (turn, startedBy) => {
    try {
      return await startTurn(deps, turn, startedBy);
    } catch (error) {
      const what = unavailableOf(error);
      if (what === undefined) throw error;
      return { kind: 'unavailable', what };
    }
  },
});

const startTurn = async (
  deps: TurnStarterDeps,
  turn: NewTurn,
  startedBy: string | undefined,
): Promise<StartOutcome> => {
  const place = deps.admission.admit();
  // Only a repeat of a known request is let in beyond the limit: it starts nothing.
  if (!place && !(await deps.turns.find(turn.turnId))) {
    return { kind: 'overloaded', retryAfterSeconds: RETRY_AFTER_SECONDS };
  }
  const outcome = await insertTurn(deps, turn, startedBy).catch((error: unknown) => {
    place?.withdraw();
    throw error;
  });
  if (outcome.kind === 'inserted') place?.stored();
  else place?.withdraw();
  switch (outcome.kind) {
    case 'inserted':
      return started(deps, outcome.row);
    case 'exists':
      return outcome.row.requestHash === turn.requestHash
        ? { kind: 'attached', turnId: turn.turnId }
        : { kind: 'idempotency_conflict' };
    case 'busy':
      return { kind: 'turn_in_progress', turnId: outcome.row.turnId };
    default:
      return outcome satisfies never;
  }
};

const insertTurn = async (
  deps: TurnStarterDeps,
  turn: NewTurn,
  startedBy: string | undefined,
): Promise<InsertOutcome> => {
  const input = turnInput(deps.defaults, turn, await deps.hasSearchAttributes());
  const insert = () =>
    deps.turns.insert(input, turn.requestHash, { sender: 'user', metadata: turn.metadata }, startedBy);
  const outcome = await insert();
  const isOver = outcome.kind === 'busy' && (await reconcileTurn(deps, outcome.row)) === 'ended';
  return isOver ? insert() : outcome;
};

const started = async (deps: TurnStarterDeps, row: TurnRow): Promise<StartOutcome> => {
  try {
    await reconcileTurn(deps, row);
    return { kind: 'started', turnId: row.turnId };
  } catch (error) {
    if (isTemporalUnavailable(error)) return { kind: 'unavailable', what: 'temporal', turnId: row.turnId };
    throw error;
  }
};

const turnInput = (defaults: TurnDefaults, turn: NewTurn, searchAttributes: boolean): TurnInput => ({
  revision: 1,
  turnId: turn.turnId,
  projectId: turn.projectId,
  conversationId: turn.conversationId,
  content: turn.content,
  mode: turn.mode,
  protocol: turn.protocol,
  model: turn.model ?? defaults.model,
  toolResultRole: defaults.toolResultRole,
  heartbeatTimeoutMs: defaults.heartbeatTimeoutMs,
  sessionInactivityMs: defaults.sessionInactivityMs,
  budgets: { ...defaults.budgets, maxPhaseCycles: turn.maxPhaseCycles ?? defaults.budgets.maxPhaseCycles },
  ...temperatureOf(defaults, turn),
  ...(turn.writeSession === undefined ? {} : { writeSession: turn.writeSession }),
  ...(defaults.liveLane === undefined ? {} : { liveLane: defaults.liveLane }),
  searchAttributes,
});

/** Absent where the project has none in this mode: the core then takes its own. */
const temperatureOf = (
  { projects }: TurnDefaults,
  { projectId, mode }: NewTurn,
): Pick<TurnInput, 'temperature'> => {
  const temperature = projects.get(projectId)?.temperature?.[mode];
  return temperature === undefined ? {} : { temperature };
};
