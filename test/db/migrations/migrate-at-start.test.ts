import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { migrateDatabaseAt } from '../../../src/db/migrations/migrate-at-start.ts';
import { createEmptyDatabase } from '../../support/test-database.ts';

let empty: Awaited<ReturnType<typeof createEmptyDatabase>>;
let proxy: Server;
let connections: number;
const sockets: Socket[] = [];

beforeEach(async () => {
  empty = await createEmptyDatabase();
  connections = 0;
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  proxy.close();
  await empty.drop();
});

/** Returns an address of the database at which the first `silent` connections are accepted and never answered. */
const lateUrl = async (silent: number): Promise<string> => {
  const target = new URL(empty.url);
  proxy = createServer((socket) => {
    connections += 1;
    sockets.push(socket.on('error', () => undefined));
    if (connections <= silent) return;
    const server = connect(Number(target.port), target.hostname).on('error', () => undefined);
    sockets.push(server);
    socket.pipe(server).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = new URL(empty.url);
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as AddressInfo).port);
  return url.href;
};

it('a start waits for a database that is too busy to take its first connections', async () => {
  await migrateDatabaseAt(await lateUrl(2));
  expect(connections).toBeGreaterThan(2);
});

it('a start says that a database which accepts no connection cannot be used', async () => {
  await expect(migrateDatabaseAt(await lateUrl(Infinity))).rejects.toThrow(
    /^DATABASE_URL: the database cannot be used: .*timeout/,
  );
  expect(connections).toBe(6);
});
