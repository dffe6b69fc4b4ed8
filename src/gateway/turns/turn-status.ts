import { turnWorkflowId } from '../../contracts/values/workflow-ids.ts';
import type { ShownStatus } from '../../contracts/turn/turn-facts.ts';
import type { TurnStatusResponse } from '../../contracts/http/turn-api.ts';
import type { TurnReader, TurnView } from '../ports/turn-views.ts';

/** Where the Temporal Web UI shows workflows. */
export interface TemporalUi {
  /** Base URL, without a slash at the end. */
  readonly url: string;
  readonly namespace: string;
}

const NO_WASTE = { duplicatesRefused: 0, retriedTokens: 0, discardedCharacters: 0 };

/**
 * Returns the body of `GET /api/turns/:turnId`. The progress of a running turn comes from its workflow, if that
 * answers. All else is read from the turn's row. `ui` is undefined when responses carry no links to the Web UI.
 */
export const describeTurn = async (
  turn: TurnView,
  turns: Pick<TurnReader, 'readProgress'>,
  ui: TemporalUi | undefined,
): Promise<TurnStatusResponse> => {
  const progress = turn.status === 'running' ? await turns.readProgress(turn.turnId) : undefined;
  const { turnId, projectId, conversationId, status, reason, protocol, mode, usage, cost, cancelledBy } =
    turn;
  return {
    turnId,
    projectId,
    conversationId,
    status: shownStatusOf(turn),
    ...(turn.waitingFor && { waitingFor: turn.waitingFor }),
    reason,
    protocol,
    mode,
    phase: progress?.phase ?? turn.phase ?? 0,
    cycle: progress?.cycle ?? turn.cycle ?? 0,
    budgets: turn.input.budgets,
    usage,
    waste: progress?.waste ?? turn.waste ?? NO_WASTE,
    cost,
    content: progress?.content ?? turn.content,
    cancelledBy: status === 'cancelled' ? cancelledBy : null,
    temporalUrl: ui ? workflowUrl(ui, turnId) : null,
    startedAt: turn.startedAt.toISOString(),
    endedAt: turn.endedAt?.toISOString() ?? null,
  };
};

/** Returns a turn's status as clients see it. The status of a running turn that waits for a person is `waiting`. */
export const shownStatusOf = ({
  status,
  waitingFor,
}: Pick<TurnView, 'status' | 'waitingFor'>): ShownStatus =>
  status === 'running' && waitingFor !== null ? 'waiting' : status;

const workflowUrl = ({ url, namespace }: TemporalUi, turnId: string): string =>
  `${url}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(turnWorkflowId(turnId))}`;
