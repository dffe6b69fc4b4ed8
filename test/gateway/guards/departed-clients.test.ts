/** Checks that clients that leave while their turn is looked up take no places with them. */
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { everyKey, GatewayWorld } from '../support/gateway-world.ts';

const authorization = 'Bearer anna';

let world: GatewayWorld;
beforeEach(async () => {
  world = await GatewayWorld.open({ maxStreamsPerClient: 1 }, { keys: everyKey });
  await world.post('/api/turns', { projectId: 'p', content: 'hi', requestId: 't' }, { authorization });
});
afterEach(() => world.close());

/** Asks for `path`, and leaves before the turn that it names is found. */
const leaveEarly = async (path: string): Promise<void> => {
  const find = world.turns.find.bind(world.turns);
  const [asked, found] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  world.turns.find = async (turnId) => {
    asked.resolve();
    await found.promise;
    return find(turnId);
  };
  const lines = world.logLines.length;
  const client = connect(world.port, '127.0.0.1');
  client.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`);
  await asked.promise;
  client.destroy();
  await eventually('a client that has left', () => world.logLines.length > lines);
  world.turns.find = find;
  found.resolve();
};

it('a stream whose client has left during the look-up is not counted', async () => {
  await leaveEarly('/api/turns/t/events');
  const { response } = await world.record('/api/turns/t/events', { headers: { authorization } });
  expect(response.status).toBe(200);
});

it('a list whose client has left during the look-up keeps no later list waiting', async () => {
  for (let count = 0; count < 3; count += 1) await leaveEarly('/api/turns/t/changes?path=a.md');
  const list = await world.get('/api/chat/messages?projectId=p', { authorization });
  expect(list.status).toBe(200);
});

it('streams that were requested in one go take no places with them when their connection ends', async () => {
  await world.close();
  world = await GatewayWorld.open({ maxStreamsPerClient: 3 }, { keys: everyKey });
  await world.post('/api/turns', { projectId: 'p', content: 'hi', requestId: 't' }, { authorization });
  /** Opens as many streams at once, and resolves to their statuses once they are closed again. */
  const open = async (count: number): Promise<readonly number[]> => {
    const streams = await Promise.all(
      Array.from({ length: count }, () =>
        world.record('/api/turns/t/events', { headers: { authorization } }),
      ),
    );
    for (const stream of streams) stream.close();
    return streams.map(({ response }) => response.status);
  };
  const request = `GET /api/turns/t/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`;
  const client = connect(world.port, '127.0.0.1');
  client.write(request.repeat(3));
  await eventually('that they have all places', async () => (await open(1)).includes(429));
  client.destroy();
  await eventually('that all places are free', async () => !(await open(3)).includes(429));
});
