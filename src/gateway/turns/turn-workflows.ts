import { WorkflowNotFoundError } from '@temporalio/client';
import type { Client } from '@temporalio/client';
import { turnWorkflowId } from '../../contracts/ids.ts';
import { cancelTurnSignal, turnStatusQuery } from '../../../workflows/messages.ts';
import { isDatabaseUnavailable } from '../../db/database-unavailable.ts';
import type { TurnRepository } from '../../db/turn-repository.ts';
import type { TurnCanceller, TurnReader } from './turn-ports.ts';

/** A status page must not wait for a busy worker; the row alone says enough. */
const STATUS_DEADLINE_MS = 500;
const CANCEL_DEADLINE_MS = 1_600;

export const createTurnCanceller = (
  client: Client,
  turns: Pick<TurnRepository, 'noteCanceller'>,
): TurnCanceller => ({
  cancel: async (turnId, by) => {
    // Before the signal: a reader who hears of the end asks at once whose doing it was.
    await turns.noteCanceller(turnId, by).catch((error: unknown) => {
      if (!isDatabaseUnavailable(error)) throw error;
    });
    const handle = client.workflow.getHandle(turnWorkflowId(turnId));
    try {
      await client.withDeadline(Date.now() + CANCEL_DEADLINE_MS, () => handle.signal(cancelTurnSignal));
    } catch (error) {
      // Closed meanwhile: whoever closed it has said how it ended.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  },
});

export const createTurnReader = (
  client: Client,
  turns: Pick<TurnReader, 'find' | 'runningOf'>,
): TurnReader => ({
  find: (turnId) => turns.find(turnId),
  runningOf: (startedBy, protocol) => turns.runningOf(startedBy, protocol),
  progress: async (turnId) => {
    const handle = client.workflow.getHandle(turnWorkflowId(turnId));
    try {
      const { phase, cycle } = await client.withDeadline(Date.now() + STATUS_DEADLINE_MS, () =>
        handle.query(turnStatusQuery),
      );
      return { phase: phase?.index ?? 0, cycle };
    } catch {
      return undefined;
    }
  },
});
