/**
 * Covers cookies that stand for the key of a browser: they count only on this gateway's own page, and end with their
 * key.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ApiKey, findKey, parseApiKeys } from '../../../src/access/api-keys.ts';
import { newKey } from '../../../src/access/new-key.ts';
import { createSignIns, SIGN_IN_SECONDS } from '../../../src/gateway/access/sign-in.ts';
import { GatewayWorld } from '../support/gateway-world.ts';

const anna = newKey('anna', ['a']);
const bert = newKey('b.er-t', ['*']);
const keysOf = (...drawn: readonly { readonly entry: unknown }[]): readonly ApiKey[] => {
  const parsed = parseApiKeys(JSON.stringify(drawn.map(({ entry }) => entry)));
  return parsed.kind === 'keys' ? parsed.keys : [];
};

let apiKeys: readonly ApiKey[];
let now: number;
let world: GatewayWorld;

beforeEach(async () => {
  apiKeys = keysOf(anna, bert);
  now = 1_000_000;
  const keys = {
    find: (presented: string) => findKey(apiKeys, presented),
    findByName: (name: string) => apiKeys.find((key) => key.name === name),
  };
  world = await GatewayWorld.open(
    {},
    { keys, signIns: createSignIns({ secret: 's', keys, now: () => now }) },
  );
});
afterEach(() => world.close());

const signIn = async (key: string, headers: Record<string, string> = {}): Promise<string> => {
  const answer = await world.post('/api/sign-in', { key }, headers);
  expect(answer.status).toBe(200);
  return answer.headers['set-cookie']?.[0] ?? '';
};
const cookiePairOf = (setCookie: string): string => setCookie.split(';')[0] ?? '';
const statusWith = async (headers: Record<string, string>): Promise<number> =>
  (await world.get('/api/sign-in', headers)).status;

it('a cookie opens what its key opens, and nothing else', async () => {
  const cookie = cookiePairOf(await signIn(anna.key));
  const { body } = await world.get('/api/sign-in', { cookie });
  expect(body).toEqual({ name: 'anna', projects: ['a'], approves: true });
  expect((await world.post('/api/turns', { projectId: 'a', content: 'hi' }, { cookie })).status).toBe(202);
  expect((await world.post('/api/turns', { projectId: 'b', content: 'hi' }, { cookie })).status).toBe(403);
  expect(cookiePairOf(await signIn(bert.key))).toContain('=b.er-t.');
});

it('a cookie is out of reach of scripts and other sites, and of networks where the page came over TLS', async () => {
  const plain = await signIn(anna.key);
  expect(plain).toMatch(
    /^orion-\d+=anna\.\d+\.[\w-]{43}; Max-Age=86400; Path=\/api; .*HttpOnly; SameSite=Strict$/,
  );
  expect(plain).not.toContain('Secure');
  const host = 'localhost';
  expect(await signIn(anna.key, { host, origin: `https://${host}` })).toMatch(/^orion-page=.*; Secure/);
});

it('neither key nor cookie is in the log', async () => {
  const cookie = cookiePairOf(await signIn(anna.key));
  await world.get('/api/sign-in', { cookie });
  await world.post('/api/sign-in', { key: `${anna.key}x` });
  const log = JSON.stringify(world.logLines);
  expect(log).toContain('signed in');
  expect(log).not.toContain(anna.key);
  expect(log).not.toContain(cookie.split('=')[1]);
});

describe('a cookie is not taken', () => {
  const expectRefused = async (change: (cookie: string) => string): Promise<void> => {
    const cookie = cookiePairOf(await signIn(anna.key));
    expect(await statusWith({ cookie: change(cookie) })).toBe(401);
  };

  it('under another name, for a longer time, with another signature, or cut', async () => {
    await expectRefused((cookie) => cookie.replace('anna', 'b.er-t'));
    await expectRefused((cookie) =>
      cookie.replace(/\.(\d+)\./, (_all, until: string) => `.${Number(until) + 1}.`),
    );
    await expectRefused((cookie) => cookie.replace(/.$/, (last) => (last === 'A' ? 'E' : 'A')));
    await expectRefused((cookie) => cookie.slice(0, -1));
    await expectRefused(() => 'orion-0=; orion-page=');
  });

  it('after a day', async () => {
    const cookie = cookiePairOf(await signIn(anna.key));
    now += SIGN_IN_SECONDS * 1_000;
    expect(await statusWith({ cookie })).toBe(401);
  });

  it('once its key is gone or was replaced under its name', async () => {
    const cookie = cookiePairOf(await signIn(anna.key));
    apiKeys = keysOf(newKey('anna', ['a']));
    expect(await statusWith({ cookie })).toBe(401);
    apiKeys = keysOf(bert);
    expect(await statusWith({ cookie })).toBe(401);
    apiKeys = keysOf(anna);
    expect(await statusWith({ cookie })).toBe(200);
  });

  it('from pages of other ports and sites', async () => {
    const cookie = cookiePairOf(await signIn(anna.key));
    for (const site of ['same-site', 'cross-site']) {
      expect(await statusWith({ cookie, 'sec-fetch-site': site })).toBe(401);
    }
    expect(await statusWith({ cookie, 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await statusWith({ cookie, origin: 'http://127.0.0.1:1' })).toBe(403);
  });

  it('beside a wrong key', async () => {
    const cookie = cookiePairOf(await signIn(anna.key));
    expect(await statusWith({ cookie, authorization: 'Bearer wrong' })).toBe(401);
  });
});

it('no cookie is given for a wrong key, and signing out takes it back', async () => {
  const wrong = await world.post('/api/sign-in', { key: 'wrong' });
  expect([wrong.status, wrong.headers['set-cookie']]).toEqual([401, undefined]);
  const out = await world.request('DELETE', '/api/sign-in');
  expect(out.status).toBe(204);
  expect(out.headers['set-cookie']?.[0]).toMatch(/^orion-\d+=; Path=\/api; Expires=Thu, 01 Jan 1970/);
});

it('no form of a foreign page can sign in', async () => {
  const { status } = await world.request('POST', '/api/sign-in', {
    headers: { 'content-type': 'text/plain', 'content-length': '2' },
    body: '{}',
  });
  expect(status).toBe(415);
});
