/** Covers the way of a message to the workflow that decides about it, whatever is away at that moment. */
import { describe, expect, it } from '@jest/globals';
import type { SteerReceipt, SteerRequest } from '../../../src/contracts/inputs/steering.ts';
import type { TurnRow } from '../../../src/db/turns/turn-row.ts';
import { createSendTurnUpdate } from '../../../src/gateway/turns/send-turn-update.ts';
import { createTurnSteers } from '../../../src/gateway/turns/turn-steers.ts';
import { workflowGone, refused, turnAnswering } from '../support/turn-answering.ts';

const request: SteerRequest = { messageId: 'm', content: 'and briefly', when: 'now', by: { kind: 'local' } };
const accepted = (interrupts: number | null): SteerReceipt => ({ messageId: 'm', interrupts });

interface Ground {
  /** The results of the updates, in order; after the last of them there is no workflow. */
  readonly updates: readonly (SteerReceipt | Error)[];
  readonly status?: TurnRow['status'];
  /** The message that is stored under the `messageId`. */
  readonly stored?: string;
}

const steering = async ({ updates, status = 'running', stored }: Ground, said = request) => {
  const interrupted: number[] = [];
  const { client, turns, sent, starts } = turnAnswering(updates, status);
  const watchedTurns = {
    interrupt: (_turnId: string, step: number) => void interrupted.push(step),
    expectEvents: () => undefined,
  };
  const findSteer = () => Promise.resolve(stored);
  const steers = createTurnSteers({
    sendUpdate: createSendTurnUpdate({ client, turns, taskQueue: 'q' }),
    turns,
    watchedTurns,
    findSteer,
  });
  return {
    outcome: await steers.steer('t', said),
    interrupted,
    started: starts.length,
    ids: sent.map(({ updateId }) => updateId),
  };
};

describe('a message into a turn', () => {
  it('is accepted by its workflow, and the lane hears which model call must end', async () => {
    const { outcome, interrupted } = await steering({ updates: [accepted(3)] });
    expect(outcome).toEqual({ kind: 'accepted' });
    expect(interrupted).toEqual([3]);
    expect((await steering({ updates: [accepted(null)] })).interrupted).toEqual([]);
  });

  it.each(['turn_ended', 'idempotency_conflict', 'too_many_messages', 'validation_failed'])(
    'that is refused as %s gets that answer',
    async (code) => {
      const { outcome } = await steering({ updates: [refused(code)] });
      expect(outcome).toEqual({ kind: 'refused', code, message: `refused: ${code}` });
    },
  );

  it('has an update id made of its content, so that a repeat is the same update and other content another', async () => {
    const idOf = async (more: Partial<SteerRequest>): Promise<unknown> =>
      (await steering({ updates: [accepted(null)] }, { ...request, ...more })).ids[0];
    const first = await idOf({});
    expect(first).toMatch(/^[\da-f]{64}$/);
    expect(await idOf({ by: { kind: 'key', name: 'anna' } })).toBe(first);
    const others = [{ when: 'boundary' }, { messageId: 'n' }, { content: 'other' }] as const;
    const ids = await Promise.all(others.map(idOf));
    expect(new Set([first, ...ids]).size).toBe(4);
  });

  it('starts the workflow that a crash has prevented, and asks it', async () => {
    const { outcome, started } = await steering({ updates: [workflowGone(), accepted(null)] });
    expect(outcome).toEqual({ kind: 'accepted' });
    expect(started).toBe(1);
  });

  it('does not end a turn whose workflow does not answer', async () => {
    await expect(steering({ updates: [workflowGone(), workflowGone()] })).rejects.toThrow(
      'no worker answers',
    );
  });

  it.each([
    [undefined, { kind: 'refused', code: 'turn_ended' }],
    ['and briefly', { kind: 'accepted' }],
    ['something else', { kind: 'refused', code: 'idempotency_conflict' }],
  ])('is answered from the rows of a turn that has ended: %s', async (stored, expected) => {
    const ground = { updates: [], status: 'completed' as const, ...(stored !== undefined && { stored }) };
    expect((await steering(ground)).outcome).toMatchObject(expected);
  });
});
