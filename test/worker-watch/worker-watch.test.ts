/**
 * Covers the watch of a process that is no worker; test/faults/unsupervised.test.ts covers what it does for lost
 * workers.
 */
import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { createTemporalClient } from '../../src/temporal/temporal-client.ts';
import { watchWorkers } from '../../src/worker-watch/worker-watch.ts';

it('the watch asks again while the database is away, and can be stopped', async () => {
  const refusing = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(refusing, 'listening');
  const { port } = refusing.address() as { port: number };
  const { client, connection } = createTemporalClient({ address: '127.0.0.1:1' }, 'default');
  const said: string[] = [];
  const say = (_fields: object, message: string): void => void said.push(message);
  const watch = watchWorkers({
    databaseUrl: `postgres://orion@127.0.0.1:${port}/orion`,
    namespace: 'default',
    taskQueue: 'orion',
    client,
    log: { info: say, warn: say },
  });
  for (let asked = 0; asked < 2; asked += 1) await once(refusing, 'connection');
  await watch.stop();
  refusing.close();
  await connection.close();
  expect(said).toEqual([]);
});
