import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { createInputNews } from '../../../src/db/inputs/input-news.ts';
import { eventually } from '../../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';

let database: TestDatabase;
let heard: (string | undefined)[];
let leave: () => void;
let warnings: number;
let relay: Server | undefined;

const follow = ({ url = database.url, probeMs = 30_000 } = {}): void => {
  const log = { warn: () => void (warnings += 1) };
  const news = createInputNews({ databaseUrl: url, log, probeMs });
  leave = news.subscribe((projectId) => void heard.push(projectId));
};

/** Starts a relay to the database; `freeze` stops its current connections, as a host that vanishes does. */
const startRelay = async (to: string): Promise<{ readonly port: number; readonly freeze: () => void }> => {
  const { hostname, port } = new URL(to);
  const pairs: Socket[] = [];
  const server = createServer((socket) => {
    const onward = connect(Number(port), hostname);
    for (const each of [socket, onward]) each.on('error', () => undefined);
    pairs.push(socket, onward);
    socket.pipe(onward).pipe(socket);
  });
  relay = server.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  return {
    port: (relay.address() as AddressInfo).port,
    freeze: () => {
      for (const each of pairs.splice(0)) each.unpipe().pause();
    },
  };
};

/** Adds a turn to a project, with one prepared input request. */
const addTurn = async (turnId: string, projectId: string): Promise<void> => {
  await sql`
    insert into turns (turn_id, project_id, conversation_id, request_hash, start_input, protocol, mode, model)
    values (${turnId}, ${projectId}, 'main', 'h', '{}', 'two_stage', 'act', 'm')`.execute(database.db);
  await sql`insert into input_requests (turn_id, n, kind, request) values (${turnId}, 1, 'question', '{}')`.execute(
    database.db,
  );
};

const setState = (turnId: string, state: string) =>
  sql`update input_requests set state = ${state} where turn_id = ${turnId}`.execute(database.db);

beforeEach(async () => {
  heard = [];
  warnings = 0;
  database = await createTestDatabase();
});
afterEach(async () => {
  leave();
  relay?.close();
  await database.close();
});

it('the feed reports that it is connected, and in which project a request was opened, closed or removed', async () => {
  await addTurn('t1', 'one');
  await addTurn('t2', 'two');
  follow();
  await eventually('news', () => heard.length === 1);
  await setState('t1', 'open');
  await setState('t2', 'open');
  await sql`update input_requests set message = 'no news' where turn_id = 't1'`.execute(database.db);
  await setState('t2', 'closed');
  await sql`delete from input_requests`.execute(database.db);
  await eventually('the last word', () => heard.filter((projectId) => projectId === 'one').length === 2);
  const told = heard.filter((projectId) => projectId !== undefined);
  expect(told).toEqual(['one', 'two', 'two', 'one']);
});

it('the feed reports that anything may have happened once it is connected again', async () => {
  await addTurn('t1', 'one');
  follow();
  await eventually('news', () => heard.length === 1);
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and query like '%pg_notify%'`.execute(
    database.db,
  );
  await eventually('news again', () => heard.length >= 2);
  await setState('t1', 'open');
  await eventually('a word', () => heard.includes('one'));
  expect(heard.indexOf('one')).toBeGreaterThanOrEqual(2);
  expect(warnings).toBeGreaterThanOrEqual(1);
});

it('notices that a connection is dead without having been closed', async () => {
  const { port, freeze } = await startRelay(database.url);
  const url = new URL(database.url);
  url.host = `127.0.0.1:${port}`;
  follow({ url: url.href, probeMs: 10 });
  await eventually('news', () => heard.length === 1);
  freeze();
  await eventually('news by another connection', () => heard.length >= 2);
  expect(warnings).toBeGreaterThanOrEqual(1);
});
