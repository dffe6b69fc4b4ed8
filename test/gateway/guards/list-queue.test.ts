/**
 * Checks that heavy lists of one client keep nobody else waiting: after each of them its place stays taken for a while.
 */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { everyKey, GatewayWorld, type HttpResponse } from '../support/gateway-world.ts';

let world: GatewayWorld;
beforeEach(async () => {
  world = await GatewayWorld.open({}, { keys: everyKey });
});
afterEach(() => world.close());

const store = (projectId: string, characters: number): void => {
  world.messages.stored.push({
    id: '1',
    projectId,
    conversationId: 'main',
    turnId: null,
    parentTurnId: null,
    sender: 'user',
    content: 'x'.repeat(characters),
    metadata: {},
    createdAt: new Date('2026-01-02T03:04:05Z'),
  });
};
const list = (key: string, projectId: string): Promise<HttpResponse> =>
  world.get(`/api/chat/messages?projectId=${projectId}`, { authorization: `Bearer ${key}` });

/** A heavy list keeps its place, one of two, for a millisecond for each 4 KiB. */
it('the queue gives a client heavy lists at a bounded pace, and other clients theirs at once', async () => {
  store('heavy', 4096 * 1000);
  store('light', 10);
  await Promise.all([list('one', 'heavy'), list('one', 'heavy')]);
  let isThirdMade = false;
  const third = list('one', 'light').finally(() => (isThirdMade = true));
  for (let count = 0; count < 5; count += 1) expect((await list('two', 'light')).status).toBe(200);
  await world.clock.pass(999);
  expect((await list('two', 'light')).status).toBe(200);
  expect(isThirdMade).toBe(false);
  await world.clock.pass(2);
  expect((await third).status).toBe(200);
});

it('the queue lets light lists follow each other', async () => {
  store('light', 200_000);
  for (let count = 0; count < 5; count += 1) expect((await list('one', 'light')).status).toBe(200);
});
