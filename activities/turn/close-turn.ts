import { log } from '@temporalio/activity';
import type { CloseTurnInput } from '../../src/contracts/payload/turn-activity-payloads.ts';
import { UnknownTurnError, type CloseOutcome } from '../../src/db/turns/turn-close.ts';
import type { TurnRepository } from '../../src/db/turns/turn-repository.ts';
import { parseEventId } from '../../src/contracts/wire/event-id.ts';
import { prepareTrace } from '../../src/trace/prepare-trace.ts';
import type { StartCompaction } from '../../src/turn-service/start-compaction.ts';
import type { StartNotifications } from '../../src/notifications/start-notifications.ts';
import { requireFirstRun } from '../attempt/first-run.ts';
import { loadCarriedTraces, type TracerDeps } from '../attempt/activity-tracer.ts';
import { closeOrSupersede } from '../attempt/activity-failures.ts';
import { openTurnLane, type LaneDeps } from './turn-lane.ts';

export interface CloseTurnDeps extends LaneDeps, TracerDeps {
  readonly turns: TurnRepository;
  readonly startNotifications: StartNotifications;
  readonly startCompaction: StartCompaction;
}

/**
 * Creates the activity that closes a turn. It stores the end of the turn in one transaction, and only then sends the
 * terminal event to readers (docs/events.md), because nobody may see that event before the answer is stored. The first
 * close of a row counts, and a repeat sends the end that counts.
 */
export const createCloseTurn =
  (deps: CloseTurnDeps) =>
  async (input: CloseTurnInput): Promise<void> => {
    requireFirstRun(input);
    const { isClosedHere, terminal, transcriptFailure, traceFailure, countFailure } = await close(
      deps,
      input,
    );
    if (isClosedHere) log.info('turn ended', logFieldsOf(input));
    if (transcriptFailure !== undefined) {
      log.warn('the transcript of the turn is lost', { err: transcriptFailure });
    }
    if (traceFailure !== undefined) log.warn('the last traces of the turn are lost', { err: traceFailure });
    if (countFailure !== undefined) {
      log.warn('the bytes of the turn are not counted', { err: countFailure });
    }
    const id = parseEventId(terminal.id);
    if (id === undefined) throw new Error(`expected a terminal event id, received ${terminal.id}`);
    const lane = openTurnLane(deps, input, id.epoch, () => undefined);
    lane.publish({ ...id, after: terminal.after, events: [terminal.event] });
    await lane.close();
    if (input.notifies) await deps.startNotifications(input.turnId);
    await deps.startCompaction(input.turnId);
  };

const close = async (deps: CloseTurnDeps, input: CloseTurnInput): Promise<CloseOutcome> => {
  const traces = (await loadCarriedTraces(deps, input)).map((trace) =>
    trace.type === 'orion_response' ? { ...trace, details: closingFacts(input) } : trace,
  );
  const outcome = await closeOrSupersede(UnknownTurnError, () =>
    deps.turns.close({ ...input, closingTraces: traces.map(prepareTrace) }),
  );
  // The row was closed before, by somebody who may not have had these traces.
  if (!outcome.isClosedHere) await deps.traces.record(...traces);
  return outcome;
};

const closingFacts = ({ terminal, cycle, waste }: CloseTurnInput) => ({ ...terminal, cycle, waste });

const logFieldsOf = ({ turnId, projectId, conversationId, terminal, cycle }: CloseTurnInput) =>
  terminal.type === 'done'
    ? { turnId, projectId, conversationId, status: terminal.status, reason: terminal.reason, cycle }
    : { turnId, projectId, conversationId, status: 'failed', reason: terminal.code, cycle };
