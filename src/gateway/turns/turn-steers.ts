import { createHash } from 'node:crypto';
import { safeText } from '../../contracts/values/safe-text.ts';
import { steerRefusalSchema, type SteerRequest } from '../../contracts/inputs/steering.ts';
import { WorkersMissingError } from '../../temporal/temporal-unavailable.ts';
import { steerUpdate } from '../../temporal/turn-messages.ts';
import type { TurnRepository } from '../../db/turns/turn-repository.ts';
import type { SteerOutcome, SteerSender } from '../ports/turn-controls.ts';
import type { LiveTurns } from '../ports/live-turns.ts';
import type { SendTurnUpdate } from './send-turn-update.ts';

export interface TurnSteerDeps {
  readonly sendUpdate: SendTurnUpdate;
  readonly turns: Pick<TurnRepository, 'find'>;
  readonly watchedTurns: Pick<LiveTurns, 'interrupt' | 'expectEvents'>;
  /**
   * Returns the text of a message that was sent into a turn which has ended. Returns undefined for an unknown message.
   */
  readonly findSteer: (turnId: string, messageId: string) => Promise<string | undefined>;
}

/**
 * Creates the port to steers. The workflow decides about a message, and a model call that the message interrupts is
 * ended over the lane as well. Once the turn has ended, only a repeat of a message that it stored is accepted.
 */
export const createTurnSteers = (deps: TurnSteerDeps): SteerSender => ({
  steer: async (turnId, request) => {
    const outcome = await deps.sendUpdate(turnId, {
      definition: steerUpdate,
      request: () => Promise.resolve(request),
      updateId: updateIdOf(request),
      isRefusal,
    });
    switch (outcome.kind) {
      case 'answered':
        if (outcome.value.interrupts !== null) deps.watchedTurns.interrupt(turnId, outcome.value.interrupts);
        deps.watchedTurns.expectEvents(turnId);
        return { kind: 'accepted' };
      case 'gone':
        return findSteerOutcome(deps, turnId, request);
      case 'refused': {
        const code = steerRefusalSchema.parse(outcome.failure.type);
        return { kind: 'refused', code, message: outcome.failure.message };
      }
      default:
        return outcome satisfies never;
    }
  },
});

const isRefusal = (type: unknown): boolean => steerRefusalSchema.safeParse(type).success;

/**
 * Returns the id of the update that carries a message. A repeat, whoever sends it, gets the answer of the first one and
 * adds nothing to the history.
 */
const updateIdOf = ({ messageId, content, when }: SteerRequest): string =>
  createHash('sha256')
    .update(JSON.stringify(['steer', messageId, content, when]))
    .digest('hex');

const findSteerOutcome = async (
  { turns, findSteer }: TurnSteerDeps,
  turnId: string,
  { messageId, content }: SteerRequest,
): Promise<SteerOutcome> => {
  if ((await turns.find(turnId))?.status === 'running') {
    throw new WorkersMissingError(new Error(`the workflow of turn ${turnId} does not answer`));
  }
  const known = await findSteer(turnId, messageId);
  if (known === undefined) return { kind: 'refused', code: 'turn_ended', message: 'The turn has ended.' };
  if (known === safeText(content)) return { kind: 'accepted' };
  return {
    kind: 'refused',
    code: 'idempotency_conflict',
    message: 'This messageId belongs to a different message of the turn.',
  };
};
