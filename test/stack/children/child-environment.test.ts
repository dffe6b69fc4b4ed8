/** Covers the environment of each child: what is in it, and what is not. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { loadConfig, loadGatewayConfig, loadServiceConfig } from '../../../src/config/load-config.ts';
import { SECRET_SETTINGS, settingsSchema } from '../../../src/config/settings/settings.ts';
import {
  machineEnvironment,
  nodeEnvironment,
  serviceEnvironments,
} from '../../../src/stack/children/child-environment.ts';

const folder = mkdtempSync(join(tmpdir(), 'orion-environment-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fileWith = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const keys = fileWith('keys.json', '[]');
const mcp = fileWith(
  'mcp.json',
  JSON.stringify({ mcpServers: { a: { command: 'x', env: { T: '${TICKETS_TOKEN}', U: '${UNSET:-u}' } } } }),
);

const env = {
  PATH: '/bin',
  HOME: '/root',
  TZ: 'UTC',
  NODE_OPTIONS: '--max-old-space-size=512',
  HTTPS_PROXY: 'http://user:secret@proxy',
  ORION_DATA_DIR: folder,
  ORION_API_KEYS_FILE: keys,
  ORION_MCP_CONFIG: mcp,
  OPENAI_API_KEY_FILE: fileWith('model-key', 'sk-secret'),
  TICKETS_TOKEN: 'tickets-secret',
  AWS_SECRET_ACCESS_KEY: 'aws-secret',
  TEMPORAL_CLI: '/bin/temporal',
  TEMPORAL_GRPC_META_X: 'meta',
  MAX_PHASE_CYCLES: '7',
  ADAPTER_TYPE: 'deepseek',
  PGSSLMODE: 'require',
};
const provided = {
  temporalAddress: '127.0.0.1:1',
  databaseUrl: 'postgres://orion:pw@127.0.0.1/orion',
  demoModelUrl: undefined,
  workflowBundle: '/bundle.js',
};
const { gateway, worker } = serviceEnvironments(env, loadConfig(env), provided);

describe('children of the stack', () => {
  it('leave it to the supervisor to see workers end', () => {
    expect(loadGatewayConfig(gateway).worker.isSupervised).toBe(true);
  });

  it('that are foreign programs get no settings of Orion', () => {
    expect(machineEnvironment(env)).toEqual({ PATH: '/bin', HOME: '/root', TZ: 'UTC' });
    expect(nodeEnvironment(env)).toEqual({
      PATH: '/bin',
      HOME: '/root',
      TZ: 'UTC',
      NODE_OPTIONS: '--max-old-space-size=512',
    });
  });

  it('get all that they need, aliases and files of secrets included', () => {
    expect(loadGatewayConfig(gateway).turns.budgets.maxPhaseCycles).toBe(7);
    expect(loadGatewayConfig(gateway).model.model).toBe('deepseek-chat');
    const { model, mcpServers } = loadServiceConfig(worker);
    expect(model).toMatchObject({ provider: 'deepseek', model: 'deepseek-chat', apiKey: 'sk-secret' });
    expect(mcpServers[0]?.transport).toMatchObject({ env: { T: 'tickets-secret', U: 'u' } });
    for (const child of [gateway, worker]) {
      expect(child).toMatchObject({ TEMPORAL_GRPC_META_X: 'meta', TEMPORAL_ADDRESS: '127.0.0.1:1' });
    }
  });

  it('get no secret that only another one uses', () => {
    const texts = (child: NodeJS.ProcessEnv): string => JSON.stringify(child);
    for (const secret of ['model-key', 'tickets-secret', 'proxy']) {
      expect([secret, texts(gateway).includes(secret), texts(worker).includes(secret)]).toEqual([
        secret,
        false,
        true,
      ]);
    }
    expect([texts(gateway).includes('keys.json'), texts(worker).includes('keys.json')]).toEqual([
      true,
      false,
    ]);
    for (const stray of ['aws-secret', 'TEMPORAL_CLI', 'PGSSLMODE']) {
      expect([stray, texts(gateway).includes(stray), texts(worker).includes(stray)]).toEqual([
        stray,
        false,
        false,
      ]);
    }
  });

  it('share a generated token, and learn of project folders when keys require them', () => {
    expect(gateway['ORION_INTERNAL_TOKEN']).toMatch(/^[\w-]{32}$/);
    expect(worker['ORION_INTERNAL_TOKEN']).toBe(gateway['ORION_INTERNAL_TOKEN']);
    expect(worker['ORION_PROJECT_FOLDERS']).toBeUndefined();
    const bound = fileWith(
      'bound.json',
      JSON.stringify([{ name: 'k', sha256: 'a'.repeat(64), projects: ['p'] }]),
    );
    const keyed = { ...env, ORION_API_KEYS_FILE: bound };
    expect(serviceEnvironments(keyed, loadConfig(keyed), provided)).toMatchObject({
      gateway: { ORION_PROJECT_FOLDERS: 'on' },
      worker: { ORION_PROJECT_FOLDERS: 'on' },
    });
  });
});

it('no secret of the settings reaches both children except those that both use', () => {
  const all = Object.fromEntries(SECRET_SETTINGS.map((name) => [name, `value-of-${name}`.padEnd(32, '-')]));
  expect(Object.keys(settingsSchema.shape)).toEqual(expect.arrayContaining([...SECRET_SETTINGS]));
  const formed = {
    DATABASE_URL: 'postgres://x@y/z',
    REDIS_URL: 'redis://:x@y',
    ORION_WEBHOOK_URL: 'https://hooks.example',
    ORION_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 'k').toString('base64')}`,
  };
  const given = { ...env, OPENAI_API_KEY_FILE: '', ...all, ...formed };
  const children = serviceEnvironments(given, loadConfig(given), { ...provided, databaseUrl: undefined });
  expect(SECRET_SETTINGS.filter((name) => name in children.gateway && name in children.worker)).toEqual([
    'DATABASE_URL',
    'ORION_INTERNAL_TOKEN',
    'REDIS_URL',
    'TEMPORAL_API_KEY',
  ]);
  expect(children.worker['PGSSLMODE']).toBe('require');
});
