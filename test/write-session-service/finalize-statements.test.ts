/**
 * Counts what one upload asks of Postgres, from the request to the written file: every statement costs a wait and a
 * lock.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { GatewayWorld } from '../gateway/support/gateway-world.ts';
import { SessionWorld } from './support/session-world.ts';

const statements: string[] = [];
let world: SessionWorld;
let gateway: GatewayWorld;
beforeAll(async () => {
  world = await SessionWorld.open({ watch: (statement) => void statements.push(statement) });
  gateway = await GatewayWorld.open({}, { writeSessions: world.gatewayParts });
});
afterAll(async () => {
  await gateway.close();
  await world.close();
});

it('a raw upload is found, claimed, planned and ended, with a trace of what it planned and one of its end', async () => {
  const sessionId = await world.beginSession({ operation: 'create' });
  statements.length = 0;
  const { status } = await gateway.request('PUT', `/api/write-session/${sessionId}/content`, {
    headers: { 'content-type': 'text/plain' },
    body: 'a text\n',
  });
  expect(status).toBe(200);
  expect(statements).toEqual([
    'select write_sessions',
    'update write_sessions',
    'update write_sessions',
    'insert trace_events',
    'update write_sessions',
    'insert trace_events',
  ]);
  expect(await world.row(sessionId)).toMatchObject({ state: 'ended', stage: 'committed' });
});
