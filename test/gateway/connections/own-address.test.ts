/** Covers where workers find a gateway, and the names under which it answers, when no setting says so. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { newKey } from '../../../src/access/new-key.ts';
import { loadGatewayConfig } from '../../../src/config/load-config.ts';
import { allowedHostsOf, laneAddressOf } from '../../../src/gateway/connections/own-address.ts';
import { isRedisLane, isSignedLaneAddress } from '../../../src/live/lane-address.ts';

const TOKEN = 't'.repeat(32);
const folder = mkdtempSync(join(tmpdir(), 'orion-address-'));
const keys = join(folder, 'keys.json');
writeFileSync(keys, JSON.stringify([newKey('first', ['*']).entry]));
afterAll(() => rmSync(folder, { recursive: true }));

const configOf = (env: Readonly<Record<string, string>>) =>
  loadGatewayConfig({
    DATABASE_URL: 'postgres://127.0.0.1/none',
    TEMPORAL_ADDRESS: '127.0.0.1:7233',
    ORION_INTERNAL_TOKEN: TOKEN,
    ORION_API_KEYS_FILE: keys,
    ...env,
  });

const addressOf = (env: Readonly<Record<string, string>>, localUrl: string): string | undefined =>
  laneAddressOf(configOf(env), { port: 5000, localUrl }, '9f3c1b');

it('a gateway that listens everywhere uses the name of its machine, which is signed', () => {
  for (const host of ['0.0.0.0', '::']) {
    const address = new URL(addressOf({ ORION_HOST: host }, 'http://127.0.0.1:5000') ?? '');
    expect(address.origin).toBe('http://9f3c1b:5000');
    expect(isSignedLaneAddress(TOKEN, address)).toBe(true);
  }
});

it('a gateway that listens at an address uses it, and one with a configured address uses that', () => {
  expect(addressOf({}, 'http://127.0.0.1:5000')).toBe('http://127.0.0.1:5000');
  expect(addressOf({ ORION_HOST: '10.0.0.7' }, 'http://10.0.0.7:5000')).toMatch(
    /^http:\/\/10\.0\.0\.7:5000\//,
  );
  expect(
    addressOf({ ORION_HOST: '0.0.0.0', ORION_LIVE_ADDRESS: 'http://gw-1:80' }, 'http://127.0.0.1:5000'),
  ).toMatch(/^http:\/\/gw-1\//);
  expect(addressOf({ LIVE_LANE: 'off' }, 'http://127.0.0.1:5000')).toBeUndefined();
});

it('a gateway that reads turns from Redis says so in its address, which is found and signed as usual', () => {
  const env = { ORION_HOST: '0.0.0.0', REDIS_URL: 'redis://user:hunter2@cache' };
  const address = addressOf(env, 'http://127.0.0.1:5000') ?? '';
  expect(new URL(address).origin).toBe('http://9f3c1b:5000');
  expect(isSignedLaneAddress(TOKEN, new URL(address))).toBe(true);
  expect(isRedisLane(address)).toBe(true);
  expect(address).not.toMatch(/hunter2|cache/);
  expect(isRedisLane(addressOf({ ...env, REDIS_URL: '' }, 'http://127.0.0.1:5000') ?? '')).toBe(false);
  expect(addressOf({ ...env, LIVE_LANE: 'off' }, 'http://127.0.0.1:5000')).toBeUndefined();
});

it('a gateway answers under the name of its machine beyond loopback, and only there', () => {
  const hosts = (env: Readonly<Record<string, string>>) => allowedHostsOf(configOf(env).http, '9f3c1b');
  expect(hosts({})).not.toContain('9f3c1b');
  expect(hosts({ ORION_HOST: '0.0.0.0' })).toEqual(['localhost', '127.0.0.1', '[::1]', '9f3c1b']);
  expect(hosts({ ORION_HOST: '0.0.0.0', ORION_ALLOWED_HOSTS: 'chat.example' })).toEqual([
    'chat.example',
    '9f3c1b',
  ]);
});
