/** Tests how long a refusal waits for the rest of a body. */
import { PassThrough } from 'node:stream';
import type { Request, Response } from 'express';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { drainRefusedBody } from '../../../src/gateway/requests/drain-refused-body.ts';
import { settled } from '../../support/manual-clock.ts';
import { partOf } from '../../support/part-of.ts';

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));
afterEach(() => void jest.useRealTimers());

/** Refuses a request whose body comes with `send`. */
const refuse = (headers: Readonly<Record<string, string>>, shouldKeepAlive = false) => {
  const body = new PassThrough();
  const request: Pick<Request, 'headers'> & PassThrough = Object.assign(body, { headers });
  const state = { isAnswered: false };
  const answer = async (): Promise<void> => {
    await drainRefusedBody(partOf<Request>(request), partOf<Response>({ shouldKeepAlive }));
    state.isAnswered = true;
  };
  void answer();
  const pass = async (ms: number): Promise<void> => {
    jest.advanceTimersByTime(ms);
    await settled();
  };
  const send = async (bytes: number): Promise<void> => {
    body.write(Buffer.alloc(bytes));
    await settled();
  };
  return { body, state, pass, send };
};

const SENDING = { 'transfer-encoding': 'chunked' };

describe('the refusal of a request whose connection closes with the response', () => {
  it('waits for the end of the body', async () => {
    const { body, state, send } = refuse({ 'content-length': '10' });
    await send(10);
    expect(state.isAnswered).toBe(false);
    body.end();
    await settled();
    expect(state.isAnswered).toBe(true);
  });

  it('waits no longer once nothing has come for a second', async () => {
    const { state, pass, send } = refuse(SENDING);
    await pass(900);
    await send(1);
    await pass(900);
    expect(state.isAnswered).toBe(false);
    await pass(100);
    expect(state.isAnswered).toBe(true);
  });

  it('waits half a minute for a client that goes on sending', async () => {
    const { state, pass, send } = refuse(SENDING);
    for (let tenths = 0; tenths < 299; tenths += 1) {
      await send(1);
      await pass(100);
    }
    expect(state.isAnswered).toBe(false);
    await send(1);
    await pass(100);
    expect(state.isAnswered).toBe(true);
  });

  it('waits for 64 MiB', async () => {
    const { state, send } = refuse(SENDING);
    for (let mebibytes = 0; mebibytes < 64; mebibytes += 1) await send(1024 * 1024);
    expect(state.isAnswered).toBe(false);
    await send(1);
    expect(state.isAnswered).toBe(true);
  });

  it('does not wait for a client that has hung up', async () => {
    const { body, state, send } = refuse(SENDING);
    await send(1);
    body.destroy();
    await settled();
    expect(state.isAnswered).toBe(true);
  });
});

it.each([
  ['has no body', { 'content-length': '0' }, false],
  ['keeps its connection', SENDING, true],
])('a request that %s is refused at once', async (_what, headers, shouldKeepAlive) => {
  const { state } = refuse(headers, shouldKeepAlive);
  await settled();
  expect(state.isAnswered).toBe(true);
});
