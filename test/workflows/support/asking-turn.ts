import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { inputIdOf } from '../../../src/contracts/inputs/input-id.ts';
import type { ReplyRequest } from '../../../src/contracts/inputs/reply.ts';
import type { TurnInput } from '../../../src/contracts/payload/turn-workflow-payloads.ts';
import type { TurnEvent } from '../../../src/contracts/wire/turn-event.ts';
import { expandBatch } from '../../../src/protocol/event-log/event-log.ts';
import { replyUpdate } from '../../../src/temporal/turn-messages.ts';
import { newTurnInput } from '../../support/turn-worker.ts';
import { useTurnWorker } from '../../support/use-turn-worker.ts';
import { endOf } from '../../support/workflow-end.ts';
import type { ScriptedAnswer } from './scripted-activities.ts';
import { scriptedInputs } from './scripted-inputs.ts';

/**
 * Gives the tests of a file one worker, which replays every task from the first event unless `maxCachedWorkflows` lets
 * it keep some. Returns a function that starts a turn with scripted answers and returns it with what tests need to
 * reply to its requests.
 */
export const useAskingTurns = (maxCachedWorkflows = 0) => {
  const turns = useTurnWorker(maxCachedWorkflows);
  return (answers: readonly ScriptedAnswer[], more: Partial<TurnInput>) => startAsking(turns, answers, more);
};

const startAsking = async (
  turns: ReturnType<typeof useTurnWorker>,
  answers: readonly ScriptedAnswer[],
  more: Partial<TurnInput>,
) => {
  const world = scriptedInputs(answers);
  const worker = turns(world.activities);
  const input = newTurnInput(more);
  const handle = await worker.startTurn(input);
  const inputId = (n: number): string => inputIdOf(input.turnId, n);
  const reply = (request: Omit<ReplyRequest, 'inputId'>, n = 1) =>
    handle.executeUpdate(replyUpdate, { args: [{ inputId: inputId(n), ...request }] });
  const ended = async (): Promise<TurnEvent[]> => {
    await endOf(handle);
    return (world.scripted.closes[0]?.ownEvents ?? []).flatMap(expandBatch).map(({ event }) => event);
  };
  return { ...world, worker, handle, inputId, reply, ended };
};

/** Resolves to the `ApplicationFailure.type` with which the update is refused. */
export const refusalOf = async (update: Promise<unknown>): Promise<string | null | undefined> => {
  const error = await update.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure) {
    return error.cause.type;
  }
  throw new Error(`expected a refusal, received ${String(error)}`);
};
