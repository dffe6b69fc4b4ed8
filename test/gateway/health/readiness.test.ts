/** Covers when a gateway is ready, the reasons why it is not, and who may see these. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { createStorageProbe } from '../../../src/gateway/health/probes.ts';
import { createReadiness } from '../../../src/gateway/health/readiness.ts';
import { FreeSpace } from '../../../src/gateway/storage/free-space.ts';
import { apiKey } from '../support/api-key.ts';
import { GatewayWorld } from '../support/gateway-world.ts';

let world: GatewayWorld;
afterEach(() => world?.close());

const keys = {
  find: (key: string) => (key === 'right' ? apiKey('ci', { opensAll: false }) : undefined),
};
const right = { authorization: 'Bearer right' };

describe('readiness', () => {
  const fine = () => Promise.resolve();
  const broken = () => Promise.reject(new Error('EROFS: read-only file system, /mnt/data'));
  const probes = {
    temporal: fine,
    worker: fine,
    database: fine,
    data: broken,
    workspace: fine,
    storage: fine,
  };

  it('gives its reasons only to clients with a key', async () => {
    world = await GatewayWorld.open({}, { keys, probes });
    for (const headers of [{}, { authorization: 'Bearer wrong' }]) {
      const { status, body, text } = await world.get('/ready', headers);
      expect([status, body['status']]).toEqual([503, 'unready']);
      expect(text).not.toMatch(/data|workspace|temporal|worker|code|EROFS/);
    }
    const { status, body } = await world.get('/ready', right);
    expect([status, body['checks']]).toEqual([
      503,
      expect.objectContaining({ data: expect.stringContaining('EROFS'), workspace: 'ok' }),
    ]);
  });

  it('says that turns would be refused because disk space is low', async () => {
    let freeBytes = 1_000;
    const readVolume = () => Promise.resolve({ freeBytes, totalBytes: 1e12 });
    const storage = createStorageProbe(new FreeSpace({ folders: ['data'], reserve: 1_001, readVolume }));
    world = await GatewayWorld.open({}, { keys, probes: { ...probes, data: fine, storage } });
    const { status, body } = await world.get('/ready', right);
    expect([status, body['code']]).toEqual([503, 'storage_full']);
    expect(body['checks']).toMatchObject({
      data: 'ok',
      storage: expect.stringContaining('ORION_MIN_FREE_BYTES'),
    });
    freeBytes = 1_001;
    await expect(storage()).resolves.toBeUndefined();
  });

  it('costs one round of checks, however many clients ask meanwhile', async () => {
    let rounds = 0;
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const slow = () => {
      rounds += 1;
      return answered;
    };
    const ready = createReadiness({ ...probes, data: slow }, () => 0);
    const asked = Array.from({ length: 20 }, () => ready());
    answer();
    expect(new Set((await Promise.all(asked)).map(({ data }) => data))).toEqual(new Set(['ok']));
    expect(rounds).toBe(1);
  });

  it('is checked again when its answer is a second old', async () => {
    let now = 0;
    let rounds = 0;
    const ready = createReadiness({ ...probes, data: () => Promise.resolve(void (rounds += 1)) }, () => now);
    for (const time of [0, 500, 999, 1_000, 1_500, 2_100]) {
      now = time;
      await ready();
    }
    expect(rounds).toBe(3);
  });

  it('says no more than that to other clients when all is well', async () => {
    world = await GatewayWorld.open({}, { keys });
    expect((await world.get('/ready')).body).toEqual({ status: 'ready' });
    expect((await world.get('/ready', right)).body['checks']).toMatchObject({ data: 'ok', workspace: 'ok' });
  });

  it('says which server is missing and why', async () => {
    const worker = () => Promise.reject(new Error('no worker polls'));
    world = await GatewayWorld.open({}, { probes: { ...probes, data: fine, worker } });
    const answer = await world.get('/ready');
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({
      code: 'temporal_unavailable',
      checks: { temporal: 'ok', database: 'ok', worker: 'no worker polls' },
    });
    expect((await world.get('/health')).body).toEqual({ status: 'ok' });
  });

  it('does not hang when a server hangs', async () => {
    const database = () => new Promise<never>(() => {});
    world = await GatewayWorld.open({}, { probes: { ...probes, data: fine, database } });
    const answer = await world.get('/ready');
    expect([answer.status, answer.body['code']]).toEqual([503, 'database_unavailable']);
  });

  it('is 200 when all answer', async () => {
    world = await GatewayWorld.open();
    expect((await world.get('/ready')).body['status']).toBe('ready');
  });
});
