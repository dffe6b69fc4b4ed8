import type { InsertOutcome } from '../../db/turns/turn-insert.ts';
import type { TurnRow } from '../../db/turns/turn-row.ts';
import { reconcileTurn, type ReconcileDeps } from '../../turn-service/reconcile.ts';
import type { AdmittedTurn, LoadLimit } from '../admission/load-limit.ts';
import type { NewTurn } from '../ports/new-turn.ts';
import type { StartOutcome, TurnStarter } from '../ports/turn-starts.ts';
import { unavailableServerOf } from '../../turn-service/unavailable.ts';
import { type TurnDefaults, turnInputOf, turnOriginOf } from './turn-input.ts';

export interface TurnStarterDeps extends ReconcileDeps {
  readonly defaults: TurnDefaults;
  readonly loadLimit: Pick<LoadLimit, 'admit'>;
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
      return await admitAndStart(deps, turn, startedBy);
    } catch (error) {
      const server = unavailableServerOf(error);
      if (server === undefined) throw error;
      return { kind: 'unavailable', server };
    }
  },
});

const admitAndStart = async (
  deps: TurnStarterDeps,
  turn: NewTurn,
  startedBy: string | undefined,
): Promise<StartOutcome> => {
  const admission = deps.loadLimit.admit(turn.turnId, startedBy);
  // Above the limit, only a request for a known turn is let in, since it starts nothing.
  if (admission.kind === 'refused' && !(await deps.turns.find(turn.turnId))) {
    return { ...admission, kind: 'overloaded' };
  }
  const insert = () => insertIfParentKnown(deps, turn, startedBy);
  const outcome = await (admission.kind === 'admitted' ? insertAdmitted(admission, insert) : insert());
  switch (outcome.kind) {
    case 'inserted':
      return startWorkflow(deps, outcome.row);
    case 'exists':
      return outcome.row.requestHash === turn.requestHash
        ? { kind: 'attached', turnId: turn.turnId }
        : { kind: 'idempotency_conflict' };
    case 'busy':
      return inProgressOutcome(outcome.row);
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

/** Runs `insert`, and tells the load limit whether the turn that it has let in is stored. */
const insertAdmitted = async (
  admitted: AdmittedTurn,
  insert: () => Promise<InsertOutcome | UnknownParent>,
): Promise<InsertOutcome | UnknownParent> => {
  let isStored = false;
  try {
    const outcome = await insert();
    isStored = outcome.kind === 'inserted';
    return outcome;
  } finally {
    if (isStored) admitted.stored();
    else admitted.withdraw();
  }
};

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
  const input = turnInputOf(deps.defaults, turn, await deps.hasSearchAttributes());
  const origin = turnOriginOf(deps.defaults, turn);
  const insert = () => deps.turns.insert(input, turn.requestHash, origin, startedBy);
  const outcome = await insert();
  // The running turn of the conversation may have lost its workflow. Reconciling then closes it, and the new turn can
  // be inserted.
  const isOver = outcome.kind === 'busy' && (await reconcileTurn(deps, outcome.row)) !== 'running';
  return isOver ? insert() : outcome;
};

const inProgressOutcome = ({ turnId, waitingFor }: TurnRow): StartOutcome => ({
  kind: 'turn_in_progress',
  turnId,
  ...(waitingFor && { waitingFor: waitingFor.inputId }),
});

const startWorkflow = async (deps: TurnStarterDeps, row: TurnRow): Promise<StartOutcome> => {
  try {
    await reconcileTurn(deps, row);
    return { kind: 'started', turnId: row.turnId };
  } catch (error) {
    const server = unavailableServerOf(error);
    if (server === undefined) throw error;
    return { kind: 'unavailable', server, turnId: row.turnId };
  }
};
