/** Tests one attempt to notify the webhook, and what becomes of its row. */
import { describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createSendNotification } from '../../activities/send-notification.ts';
import type { Notification } from '../../src/contracts/inputs/notification.ts';

const message = (state: Notification['state'] = 'due'): Notification => ({
  webhookId: 't/ended',
  createdAt: new Date(0),
  state,
  body: {
    type: 'turn.ended',
    data: {
      turnId: 't',
      projectId: 'p',
      conversationId: 'c',
      status: 'completed',
      reason: 'answered',
      link: '/api/turns/t',
    },
  },
});

/**
 * Runs one attempt. `answer` is what the receiver answers, and undefined if none is configured. The outbox holds only
 * `row`; unlike the one in Postgres it notes every end, also that of a row that has ended.
 */
const attempt = async (
  answer: number | Error | undefined,
  row: Notification | undefined = message(),
): Promise<{
  readonly sent: number;
  readonly ends: unknown[];
  readonly counted: string[];
  readonly error: unknown;
}> => {
  let sent = 0;
  const ends: unknown[] = [];
  const counted: string[] = [];
  const sendWebhook = (): Promise<number> => {
    sent += 1;
    return typeof answer === 'number' ? Promise.resolve(answer) : Promise.reject(answer);
  };
  const sendNotification = createSendNotification({
    outbox: {
      find: () => Promise.resolve(row),
      end: (id, state) => Promise.resolve(ends.push([id, state]) > 0),
    },
    ...(answer !== undefined && { sendWebhook }),
    countNotification: (outcome) => void counted.push(outcome),
  });
  const environment = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });
  const error: unknown = await environment.run(sendNotification, { webhookId: 't/ended' }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { sent, ends, counted, error };
};

describe('a notification', () => {
  it('that its receiver takes is sent', async () => {
    expect(await attempt(202)).toMatchObject({
      ends: [['t/ended', 'sent']],
      counted: ['sent'],
      error: undefined,
    });
  });

  it.each([302, 400, 404, 429, 500, 503])('that is answered %i is tried again', async (status) => {
    const { ends, counted, error } = await attempt(status);
    expect([ends, counted]).toEqual([[], ['failed']]);
    expect(error).toBeInstanceOf(ApplicationFailure);
    expect(error).toMatchObject({ nonRetryable: false, message: `the receiver answered ${status}` });
  });

  it('that reaches nobody is tried again', async () => {
    const { ends, error } = await attempt(new Error('connect ECONNREFUSED'));
    expect(ends).toEqual([]);
    expect(error).toMatchObject({ nonRetryable: false, message: 'connect ECONNREFUSED' });
  });

  it('is given up when its receiver is gone, or when none is configured any longer', async () => {
    const gone = await attempt(410);
    expect(gone).toMatchObject({ ends: [['t/ended', 'given_up']], counted: ['given_up'], error: undefined });
    expect(await attempt(undefined)).toMatchObject({ sent: 0, ends: [['t/ended', 'given_up']] });
  });

  it('that was sent, given up or never was is not sent', async () => {
    expect(await attempt(200, message('sent'))).toMatchObject({ sent: 0, ends: [] });
    expect(await attempt(200, message('given_up'))).toMatchObject({ sent: 0, ends: [] });
  });
});
