/** Covers what operators see (metrics, readiness and its reasons), and who may see it. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { TurnEndCounter } from '../../../src/gateway/health/turn-end-counter.ts';
import { createGatewayMetrics } from '../../../src/gateway/health/gateway-metrics.ts';
import { FreeSpace } from '../../../src/gateway/storage/free-space.ts';
import { createReadiness } from '../../../src/gateway/health/readiness.ts';
import {
  createDataProbe,
  createStorageProbe,
  createWorkspaceProbe,
} from '../../../src/gateway/health/probes.ts';
import { doneEvent, GatewayWorld } from '../support/gateway-world.ts';
import { metricValue } from '../support/metric-value.ts';

let world: GatewayWorld;
afterEach(() => world?.close());

const keys = {
  find: (key: string) =>
    key === 'right'
      ? {
          name: 'ci',
          digest: Buffer.alloc(32),
          opensAll: false,
          projects: undefined,
          approves: true,
          opens: () => true,
        }
      : undefined,
};
const right = { authorization: 'Bearer right' };
let conversations = 0;
const inNewConversation = (fields: object) => ({
  projectId: 'p',
  content: 'hi',
  conversationId: `c${(conversations += 1)}`,
  ...fields,
});

const valueOf = (series: string) => metricValue(world, series);

describe('metrics', () => {
  it('count turns by protocol and by how they ended, each once, watched or not', async () => {
    world = await GatewayWorld.open();
    const ended = (protocol: string, status: string) =>
      valueOf(`orion_turns_total{protocol="${protocol}",status="${status}"}`);
    expect(await ended('two_stage', 'completed')).toBe(0);
    await world.post('/api/turns', inNewConversation({ requestId: 'r1' }));
    await world.post(
      '/api/turns',
      inNewConversation({ requestId: 'r2', metadata: { protocol: 'standard' } }),
    );
    await world.post('/api/turns', inNewConversation({ requestId: 'r3' }));
    expect(await valueOf('orion_turns_started_total{protocol="two_stage"}')).toBe(2);
    world.turns.end('r1', doneEvent(''));
    world.turns.end('r2', { type: 'error', code: 'model_auth', message: 'no' });
    for (const _ of [1, 2]) {
      expect(await ended('two_stage', 'completed')).toBe(1);
      expect(await ended('standard', 'failed')).toBe(1);
      expect(await ended('two_stage', 'cancelled')).toBe(0);
    }
  });

  it('count no turn that was only attached to', async () => {
    world = await GatewayWorld.open();
    const body = inNewConversation({ requestId: 'r1' });
    for (const _ of [1, 2, 3]) await world.post('/api/turns', body);
    expect(await valueOf('orion_turns_started_total{protocol="two_stage"}')).toBe(1);
  });

  it('are available without the database, and later count what ended meanwhile', async () => {
    world = await GatewayWorld.open();
    await world.post('/api/turns', inNewConversation({ requestId: 'r1' }));
    world.turns.end('r1', doneEvent(''));
    const completed = 'orion_turns_total{protocol="two_stage",status="completed"}';
    world.turns.failure = new Error('down');
    expect(await valueOf(completed)).toBe(0);
    world.turns.failure = undefined;
    expect(await valueOf(completed)).toBe(1);
  });

  it('time the first text, and only for the stream that started the turn', async () => {
    world = await GatewayWorld.open();
    const count = () => valueOf('orion_time_to_first_token_seconds_count{protocol="two_stage"}');
    const stream = await world.chat(inNewConversation({ requestId: 'r1' }));
    const other = await world.record('/api/turns/r1/events');
    expect(await count()).toBeUndefined();
    world.say('r1', 'a', 'b');
    await Promise.all(
      [stream, other].map((viewer) => viewer.next(({ data }) => JSON.stringify(data).includes('b'))),
    );
    expect(await count()).toBe(1);
  });

  it('count open streams and refusals', async () => {
    world = await GatewayWorld.open();
    const stream = await world.chat(inNewConversation({ requestId: 'r1' }));
    expect(await valueOf('orion_active_streams')).toBe(1);
    world.end('r1', doneEvent(''));
    await stream.ended;
    expect(await valueOf('orion_active_streams')).toBe(0);
    await world.get('/api/turns/unknown');
    await world.get('/api/turns/unknown');
    expect(await valueOf('orion_refusals_total{code="turn_not_found"}')).toBe(2);
  });

  it('count the refused writers of the live lane by reason', async () => {
    const metrics = createGatewayMetrics({
      findEndStatuses: () => Promise.resolve([]),
      startLimit: () => 300,
    });
    metrics.laneRefused('wrong');
    const { text } = await metrics.scrape();
    expect(text).toContain('orion_lane_refusals_total{refusal="wrong"} 1\n');
    expect(text).toContain('orion_lane_refusals_total{refusal="repeated"} 0\n');
  });

  it('need a key as soon as other machines can reach them', async () => {
    world = await GatewayWorld.open({ areMetricsPublic: false }, { keys });
    expect((await world.get('/metrics')).status).toBe(401);
    const answer = await world.get('/metrics', right);
    expect([answer.status, answer.headers['content-type']]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    await world.close();
    world = await GatewayWorld.open({ areMetricsPublic: true }, { keys });
    expect((await world.get('/metrics')).status).toBe(200);
  });

  it('take a bounded amount of memory for turns that nobody asks about', async () => {
    let asked = 0;
    const ended = new TurnEndCounter({
      findEndStatuses: (turnIds) => Promise.resolve([]).finally(() => (asked = turnIds.length)),
      count: () => undefined,
    });
    for (let turn = 0; turn < 30_000; turn += 1) ended.started(`t${turn}`, 'standard');
    await ended.countEnds();
    expect(asked).toBe(20_000);
  });
});

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
});

describe('volumes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orion-volumes-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('that can be written to are ready, and nothing is left in them', async () => {
    await createDataProbe(folder)();
    await createWorkspaceProbe(folder)();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that are missing, or no directory, are not ready, and are not made either', async () => {
    const missing = join(folder, 'missing');
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const path of [missing, file]) {
      await expect(createDataProbe(path)()).rejects.toThrow(/ENOENT|ENOTDIR/);
      await expect(createWorkspaceProbe(path)()).rejects.toThrow(/ENOENT|not a directory/);
    }
    expect(existsSync(missing)).toBe(false);
    rmSync(file);
  });

  // Root may write anywhere, so the test cannot close a folder to it.
  (process.getuid?.() === 0 ? it.skip : it)('that are closed are not ready', async () => {
    chmodSync(folder, 0o500);
    await expect(createDataProbe(folder)()).rejects.toThrow('EACCES');
    await expect(createWorkspaceProbe(folder)()).rejects.toThrow('EACCES');
    chmodSync(folder, 0o700);
  });
});
