/**
 * Covers questions to the workflow of a turn: they go one at a time, equal ones are sent once, and each is answered in
 * time.
 */
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { TurnRepository } from '../../../src/db/turns/turn-repository.ts';
import type { TurnRow } from '../../../src/db/turns/turn-row.ts';
import { createSendTurnUpdate } from '../../../src/gateway/turns/send-turn-update.ts';
import { steerUpdate } from '../../../src/temporal/turn-messages.ts';
import { settled } from '../../support/manual-clock.ts';
import { partOf } from '../../support/part-of.ts';
import { turnInput } from '../../support/turn-fixtures.ts';

afterEach(() => void jest.restoreAllMocks());

/** Returns updates that the test answers one by one. */
const open = () => {
  const sent: { readonly turnId: string; readonly updateId: unknown; answer(outcome: unknown): void }[] = [];
  const deadlines: number[] = [];
  const client = partOf<Client>({
    withDeadline: <T>(at: number, call: () => Promise<T>) => {
      deadlines.push(at);
      return call();
    },
    workflowService: { getSystemInfo: () => Promise.resolve({}) },
    workflow: {
      start: () => Promise.resolve({ firstExecutionRunId: 'r' }),
      getHandle: (turnId: string) => ({
        executeUpdate: (_update: unknown, { updateId }: { readonly updateId?: string }) =>
          new Promise((resolve, reject) => {
            const answer = (outcome: unknown): void =>
              outcome instanceof Error ? reject(outcome) : resolve(outcome);
            sent.push({ turnId, updateId, answer });
          }),
      }),
    },
  });
  const input = turnInput('t', { searchAttributes: false });
  const turns = partOf<TurnRepository>({
    find: (turnId) => Promise.resolve(partOf<TurnRow>({ turnId, status: 'running', runId: null, input })),
  });
  const ask = createSendTurnUpdate({ client, turns, taskQueue: 'q' });
  const request = { messageId: 'm', content: 'c', when: 'now' } as const;
  return {
    sent,
    deadlines,
    ask: (turnId: string, updateId?: string) =>
      ask(turnId, {
        definition: steerUpdate,
        request: () => Promise.resolve(request),
        ...(updateId !== undefined && { updateId }),
        isRefusal: () => false,
      }),
  };
};

describe('questions to a turn', () => {
  it('are asked one at a time, in their order, while other turns are asked as well', async () => {
    const { ask, sent } = open();
    const asked = [ask('a', '1'), ask('a', '2'), ask('b', '1')];
    await settled();
    expect(sent.map(({ turnId, updateId }) => [turnId, updateId])).toEqual([
      ['turn/a', '1'],
      ['turn/b', '1'],
    ]);
    sent[0]?.answer(new Error('a defect'));
    await expect(asked[0]).rejects.toThrow('a defect');
    await settled();
    expect(sent[2]).toMatchObject({ turnId: 'turn/a', updateId: '2' });
    sent[1]?.answer('of b');
    sent[2]?.answer('of a');
    expect(await Promise.all(asked.slice(1))).toEqual([
      { kind: 'answered', value: 'of a' },
      { kind: 'answered', value: 'of b' },
    ]);
  });

  it('that are equal are asked once while they are under way, and those without an id separately', async () => {
    const { ask, sent } = open();
    const asked = [ask('a', '1'), ask('a', '1'), ask('a'), ask('a')];
    for (let n = 0; n < 3; n += 1) {
      await settled();
      sent[n]?.answer(n);
    }
    const values = (await Promise.all(asked)).map((answer) => answer.kind === 'answered' && answer.value);
    expect(values).toEqual([0, 0, 1, 2]);
    const again = ask('a', '1');
    await settled();
    expect(sent).toHaveLength(4);
    sent[3]?.answer('again');
    expect(await again).toEqual({ kind: 'answered', value: 'again' });
  });

  it('wait no longer than an answer may take, and say what kept the ones before', async () => {
    const { ask, sent } = open();
    const [first, second] = [ask('a', '1'), ask('a', '2')];
    await settled();
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 1_700);
    sent[0]?.answer(new Error('Temporal is away'));
    await expect(first).rejects.toThrow('Temporal is away');
    await expect(second).rejects.toThrow('Temporal is away');
    expect(sent).toHaveLength(1);
  });

  it('are due at the same time when the workflow had to be started first', async () => {
    const { ask, sent, deadlines } = open();
    const asked = ask('a');
    await settled();
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 1_000);
    sent[0]?.answer(new WorkflowNotFoundError('none', 'turn/a', undefined));
    await settled();
    sent[1]?.answer('late');
    expect(await asked).toEqual({ kind: 'answered', value: 'late' });
    // The second deadline is that of the start.
    expect(deadlines).toHaveLength(3);
    expect(deadlines[2]).toBeLessThanOrEqual(deadlines[0] ?? 0);
  });
});
