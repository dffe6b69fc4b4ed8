import type { AcceptedSteer } from '../../contracts/inputs/steering.ts';
import type { EventBatch } from '../../contracts/wire/event-batch.ts';
import type { CloseTurnInput } from '../../contracts/payload/turn-activity-payloads.ts';
import { outsideList } from '../../protocol/event-log/outside-list.ts';
import type { PreparedTrace } from './trace-repository.ts';

/** A close by the workflow, which knows its own event list. */
export type WorkflowClose = Pick<
  CloseTurnInput,
  | 'turnId'
  | 'ownEvents'
  | 'terminalId'
  | 'terminalAfter'
  | 'terminal'
  | 'usage'
  | 'phase'
  | 'cycle'
  | 'waste'
  | 'writeSessions'
  | 'resolutions'
  | 'unapplied'
> & {
  /** Traces to store with the end. If they cannot be stored, the turn ends without them. */
  readonly closingTraces?: readonly PreparedTrace[];
};

/** A close by a process that has at most the durable events of the workflow. */
export interface OutsideClose {
  readonly turnId: string;
  /** The durable events from the first on. Empty when the workflow answers no query any longer. */
  readonly outside: {
    readonly batches: readonly EventBatch[];
    /** Messages into the turn that its model has not read. */
    readonly unapplied?: readonly AcceptedSteer[];
  };
}

/** Returns an outside close in the form of a close by the workflow: its event list ends with an error. */
export const toWorkflowClose = ({ turnId, outside }: OutsideClose): WorkflowClose => {
  const { phase, ...list } = outsideList(outside.batches);
  return {
    turnId,
    ...list,
    terminal: {
      type: 'error',
      code: 'turn_ended_outside',
      message: 'The turn was ended from outside: its workflow was terminated or is gone.',
    },
    usage: { promptTokens: 0, completionTokens: 0, estimated: true },
    phase: phase?.index ?? 0,
    cycle: phase?.cycle ?? 0,
    waste: { duplicatesRefused: 0, retriedTokens: 0, discardedCharacters: 0 },
    unapplied: [...(outside.unapplied ?? [])],
  };
};

/**
 * Returns the trace that says how the turn ended. The workflow could not store one, so the process that closes the row
 * does.
 */
export const endedOutsideTrace = (
  { turn_id: requestId, project_id: projectId }: { readonly turn_id: string; readonly project_id: string },
  { phase, cycle, terminal }: WorkflowClose,
): PreparedTrace => ({
  requestId,
  projectId,
  key: 'turn_ended_outside',
  type: 'system_error',
  source: 'system',
  summary: 'the turn was ended from outside',
  details: null,
  phaseIndex: phase,
  cycleIndex: cycle,
  error: terminal.type === 'error' ? terminal.message : null,
  metadata: null,
  ordinal: 0,
  at: new Date(),
});
