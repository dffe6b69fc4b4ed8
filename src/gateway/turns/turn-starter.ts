import type { Projects } from '../../config/files/projects-file.ts';
import { type Budgets, MAX_LATE_ANSWERS, MAX_PHASE_CYCLES } from '../../contracts/turn/budgets.ts';
import type { FallbackModel } from '../../contracts/model/fallback-model.ts';
import { allowsEverything } from '../../contracts/inputs/approvals.ts';
import type { InputSettings, TurnInput } from '../../contracts/payload/turn-workflow-payloads.ts';
import type { InsertOutcome, TurnOrigin } from '../../db/turns/turn-insert.ts';
import type { TurnRow } from '../../db/turns/turn-row.ts';
import { reconcileTurn, type ReconcileDeps } from '../../turn-service/reconcile.ts';
import type { Admission } from './admission.ts';
import type { NewTurn } from '../ports/new-turn.ts';
import type { StartOutcome, TurnStarter } from '../ports/turn-starts.ts';
import { unavailableServerOf } from '../../turn-service/unavailable.ts';

/**
 * Seconds after which a refused start may be tried again. `running`: nobody knows when a running turn ends. `starting`:
 * the limit changes whenever a worker takes a turn, so 1 is enough.
 */
const RETRY_AFTER_SECONDS = { running: 5, starting: 1 } as const;

/** The part of a turn's input that comes from the configuration. */
export interface TurnDefaults {
  readonly budgets: Budgets;
  readonly model: string;
  /** The models that take over calls, by the name of the model that they replace. */
  readonly fallbacks: ReadonlyMap<string, readonly FallbackModel[]>;
  /** The largest cost of a turn, in whole millionths of the currency. Absent means no limit. */
  readonly maxTurnCost?: number | undefined;
  readonly toolResultRole: TurnInput['toolResultRole'];
  readonly projects: Projects;
  readonly heartbeatTimeoutMs: number;
  readonly sessionInactivityMs: number;
  readonly inputs: InputSettings;
  /** True when a webhook is notified of what turns wait for, and of how they end. */
  readonly notifies: boolean;
  /** The largest number of tools that a turn may run in all, whatever it asks for or is granted. */
  readonly maxPhaseCyclesLimit: number;
  /** Base URL of this gateway for the live lane. Undefined when the lane is off. */
  readonly liveLane: string | undefined;
}

export interface TurnStarterDeps extends ReconcileDeps {
  readonly defaults: TurnDefaults;
  readonly admission: Pick<Admission, 'admit'>;
  /**
   * Reports whether the namespace has Orion's search attributes, with which the turn is then started. Rejects while
   * Temporal cannot be reached.
   */
  readonly hasSearchAttributes: () => Promise<boolean>;
}

/**
 * Creates the port that starts turns (docs/turns.md "Starting a turn"). A turn is accepted when its row is inserted,
 * and its workflow is started after that. If Temporal cannot be reached then, the sweeper starts the workflow later.
 */
export const createTurnStarter = (deps: TurnStarterDeps): TurnStarter => ({
  start: async (turn, startedBy) => {
    try {
      return await startTurn(deps, turn, startedBy);
    } catch (error) {
      const server = unavailableServerOf(error);
      if (server === undefined) throw error;
      return { kind: 'unavailable', server };
    }
  },
});

const startTurn = async (
  deps: TurnStarterDeps,
  turn: NewTurn,
  startedBy: string | undefined,
): Promise<StartOutcome> => {
  const admitted = deps.admission.admit(turn.turnId, startedBy);
  // Above the limit, only a request for a known turn is let in, since it starts nothing.
  if (admitted.kind === 'refused' && !(await deps.turns.find(turn.turnId))) {
    const { cause } = admitted;
    return { kind: 'overloaded', cause, retryAfterSeconds: RETRY_AFTER_SECONDS[cause] };
  }
  const slot = admitted.kind === 'admitted' ? admitted : undefined;
  const outcome = await insertIfParentKnown(deps, turn, startedBy).catch((error: unknown) => {
    slot?.withdraw();
    throw error;
  });
  if (outcome.kind === 'inserted') slot?.stored();
  else slot?.withdraw();
  switch (outcome.kind) {
    case 'inserted':
      return started(deps, outcome.row);
    case 'exists':
      return outcome.row.requestHash === turn.requestHash
        ? { kind: 'attached', turnId: turn.turnId }
        : { kind: 'idempotency_conflict' };
    case 'busy':
      return inProgress(outcome.row);
    case 'unknown_parent':
      return outcome;
    default:
      return outcome satisfies never;
  }
};

interface UnknownParent {
  readonly kind: 'unknown_parent';
  readonly turnId: string;
}

/** Inserts a turn, unless the turn that it is to continue does not belong to its conversation. */
const insertIfParentKnown = async (
  deps: TurnStarterDeps,
  turn: NewTurn,
  startedBy: string | undefined,
): Promise<InsertOutcome | UnknownParent> => {
  const { parentTurnId: turnId, projectId, conversationId } = turn;
  if (typeof turnId === 'string') {
    const parent = await deps.turns.find(turnId);
    const isKnown = parent?.projectId === projectId && parent.conversationId === conversationId;
    if (!isKnown) return { kind: 'unknown_parent', turnId };
  }
  return insertTurnRow(deps, turn, startedBy);
};

const insertTurnRow = async (
  deps: TurnStarterDeps,
  turn: NewTurn,
  startedBy: string | undefined,
): Promise<InsertOutcome> => {
  const input = turnInput(deps.defaults, turn, await deps.hasSearchAttributes());
  const origin = originOf(deps.defaults, turn);
  const insert = () => deps.turns.insert(input, turn.requestHash, origin, startedBy);
  const outcome = await insert();
  // The running turn of the conversation may have lost its workflow. Reconciling then closes it, and the new turn can
  // be inserted.
  const isOver = outcome.kind === 'busy' && (await reconcileTurn(deps, outcome.row)) !== 'running';
  return isOver ? insert() : outcome;
};

const originOf = (
  { maxTurnCost }: TurnDefaults,
  { metadata, clientTools, parentTurnId, costPerDay }: NewTurn,
): TurnOrigin => ({
  sender: 'user',
  metadata,
  ...(parentTurnId !== undefined && { parentTurnId }),
  ...(clientTools && { clientTools }),
  costLimits: {
    ...(maxTurnCost !== undefined && { turn: maxTurnCost }),
    ...(costPerDay !== undefined && { day: costPerDay }),
  },
});

const inProgress = ({ turnId, waitingFor }: TurnRow): StartOutcome => ({
  kind: 'turn_in_progress',
  turnId,
  ...(waitingFor && { waitingFor: waitingFor.inputId }),
});

const started = async (deps: TurnStarterDeps, row: TurnRow): Promise<StartOutcome> => {
  try {
    await reconcileTurn(deps, row);
    return { kind: 'started', turnId: row.turnId };
  } catch (error) {
    const server = unavailableServerOf(error);
    if (server === undefined) throw error;
    return { kind: 'unavailable', server, turnId: row.turnId };
  }
};

const turnInput = (defaults: TurnDefaults, turn: NewTurn, hasSearchAttributes: boolean): TurnInput => ({
  revision: 1,
  turnId: turn.turnId,
  projectId: turn.projectId,
  conversationId: turn.conversationId,
  content: turn.content,
  mode: turn.mode,
  protocol: turn.protocol,
  model: turn.model ?? defaults.model,
  ...fallbacksOf(defaults, turn),
  toolResultRole: defaults.toolResultRole,
  heartbeatTimeoutMs: defaults.heartbeatTimeoutMs,
  sessionInactivityMs: defaults.sessionInactivityMs,
  budgets: { ...defaults.budgets, maxPhaseCycles: turn.maxPhaseCycles ?? defaults.budgets.maxPhaseCycles },
  ...temperatureOf(defaults, turn),
  ...inputsOf(defaults, turn),
  ...(defaults.notifies && { notifies: true }),
  ...(defaults.maxPhaseCyclesLimit === MAX_PHASE_CYCLES
    ? {}
    : { maxPhaseCyclesLimit: defaults.maxPhaseCyclesLimit }),
  maxLateAnswers: MAX_LATE_ANSWERS,
  ...((defaults.maxTurnCost ?? turn.costPerDay) === undefined ? {} : { isBudgeted: true }),
  ...(turn.writeSession === undefined ? {} : { writeSession: turn.writeSession }),
  ...(defaults.liveLane === undefined ? {} : { liveLane: defaults.liveLane }),
  searchAttributes: hasSearchAttributes,
});

/**
 * Returns the turn's settings for asking people. They are absent if nobody is ever asked, so the input of such a turn
 * looks as it did before input requests existed.
 */
const inputsOf = (
  { inputs: { approvals, expiryMs } }: TurnDefaults,
  { approvals: requested, inputs = [], clientTools = [] }: NewTurn,
): Pick<TurnInput, 'inputs'> => {
  const policy = { ...approvals, ...(requested !== undefined && { requested }) };
  const accepts = [...new Set(inputs), ...(clientTools.length > 0 ? ['client_tool' as const] : [])];
  if (allowsEverything(policy) && accepts.length === 0) return {};
  return { inputs: { approvals: policy, expiryMs, ...(accepts.length > 0 && { accepts }) } };
};

/**
 * Returns the temperature that the project has for this mode. It is absent if the project has none, and the core then
 * takes its own.
 */
const temperatureOf = (
  { projects }: TurnDefaults,
  { projectId, mode }: NewTurn,
): Pick<TurnInput, 'temperature'> => {
  const temperature = projects.get(projectId)?.temperature?.[mode];
  return temperature === undefined ? {} : { temperature };
};

/** Returns the models that may take over calls of the turn's model. The field is absent if there are none. */
const fallbacksOf = ({ model, fallbacks }: TurnDefaults, turn: NewTurn): Pick<TurnInput, 'fallbacks'> => {
  const others = fallbacks.get(turn.model ?? model) ?? [];
  return others.length === 0 ? {} : { fallbacks: others };
};
