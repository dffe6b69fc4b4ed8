import { type CancellationScope, log as workflowLog, setHandler } from '@temporalio/workflow';
import type { TurnProgress } from '../../src/contracts/payload/turn-workflow-payloads.ts';
import { eventBatchSchema } from '../../src/contracts/wire/event-batch.ts';
import {
  appendEventsSignal,
  cancelTurnSignal,
  eventsSinceQuery,
  turnStatusQuery,
} from '../../src/temporal/turn-messages.ts';
import { answerStackTrace } from '../sdk/sdk-internals.ts';
import type { TurnRun } from './turn-run.ts';
import { isResetRun } from './superseded-run.ts';
import { turnStackTrace } from './turn-visibility.ts';

/**
 * Listens for the messages of a turn's run: its events, its cancel, and the queries for its events and progress. The
 * cancel ends `cancellationScope`. The handlers of signals parse safely and never throw, so that no bad message wedges
 * the turn.
 */
export const registerRunHandlers = (run: TurnRun, cancellationScope: CancellationScope): void => {
  const { turnLog } = run;
  setHandler(
    appendEventsSignal,
    (batches: unknown) => {
      const parsed = eventBatchSchema.array().safeParse(batches);
      if (parsed.success) turnLog.apply(parsed.data);
      else workflowLog.warn('appendEvents ignored', { expected: 'a list of event batches' });
    },
    { description: "Events of a model call, sent by its activity. Orion's own: not to be sent by hand." },
  );
  setHandler(cancelTurnSignal, () => cancellationScope.cancel(), {
    description: "Ends the turn with what was said so far, as Temporal's own Cancel does. No input.",
  });
  setHandler(
    eventsSinceQuery,
    (after) => (isResetRun() ? { batches: [], more: false } : turnLog.page(after ?? null)),
    { description: 'Events after the one of the input `{ epoch, seq }`, or all: `{ batches, more }`.' },
  );
  setHandler(turnStatusQuery, () => progressOf(run), {
    description: 'Phase, tools executed so far, waste, and whether a cancel was asked for. No input.',
  });
  answerStackTrace(() => turnStackTrace(run));
};

const progressOf = ({ turnLog, state, cancellation }: TurnRun): TurnProgress => ({
  phase: state.phase,
  cycle: state.cycle,
  cancelRequested: cancellation.isRequested,
  waste: state.waste(turnLog.discardedCharacters),
});
