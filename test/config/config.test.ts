import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ConfigError } from '../../src/base/errors/config-error.ts';
import {
  listConfig,
  loadConfig,
  loadGatewayConfig,
  loadServiceConfig,
} from '../../src/config/load-config.ts';
import type { Environment } from '../../src/config/settings/load-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'orion-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fileWith = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const problemsOf = (
  env: Environment,
  load: (env: Environment) => unknown = loadConfig,
): readonly string[] => {
  try {
    load(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

describe('defaults', () => {
  it('listens on loopback, starts its own servers and uses the demo model', () => {
    const config = loadConfig({});
    expect(config.http).toMatchObject({ host: '127.0.0.1', port: 5000, allowedOrigins: [] });
    expect(config.temporal).toMatchObject({ address: undefined, namespace: 'default' });
    expect(config.databaseUrl).toBeUndefined();
    expect(config.model).toMatchObject({ kind: 'demo', model: 'orion-demo' });
    expect(config.workspace).toBe(join(config.dataDir, 'workspace'));
  });

  it('takes the budgets of the contracts', () => {
    expect(loadConfig({}).turns.budgets).toMatchObject({ maxPhaseCycles: 3, maxTurnMs: 600_000 });
  });

  it('counts an empty variable as unset', () => {
    expect(loadConfig({ ORION_PORT: '', OPENAI_API_KEY: ' ' })).toEqual(loadConfig({}));
  });
});

describe('problems', () => {
  it('reports all at once, each with variable, expected and received', () => {
    const problems = problemsOf({
      ORION_PORT: '80x',
      LIVE_LANE: 'maybe',
      MAX_TURN_MS: '0',
      LOG_LEVEL: 'loud',
    });
    expect(problems).toEqual([
      'ORION_PORT: expected an integer from 0 to 65535, received "80x"',
      'MAX_TURN_MS: expected an integer from 1 to 3600000, received "0"',
      'LIVE_LANE: expected on, true, yes, 1 or off, false, no, 0, received "maybe"',
      'LOG_LEVEL: expected one of fatal, error, warn, info, debug, trace, silent, received "loud"',
    ]);
  });

  it('names allow-lists and keys that a gateway or worker could only refuse once everything else runs', () => {
    const settings = {
      OPENAI_API_KEY: 'sk-söcret',
      ORION_ALLOWED_HOSTS: 'chat.example, http://x',
      ORION_ALLOWED_ORIGINS: 'https://x/path',
    };
    expect(problemsOf(settings).toSorted()).toEqual([
      'OPENAI_API_KEY: expected printable ASCII characters without blanks, received a value that is not shown',
      'ORION_ALLOWED_HOSTS: expected hosts such as chat.example or 127.0.0.1:8080, received "chat.example, http://x"',
      'ORION_ALLOWED_ORIGINS: expected origins such as https://chat.example:8080, received "https://x/path"',
    ]);
  });

  it('names the alias that was set, not the name it stands for', () => {
    expect(problemsOf({ MAX_PHASE_CYCLES: '51' })).toEqual([
      'MAX_PHASE_CYCLES: expected an integer from 0 to 50, received "51"',
    ]);
  });

  it('lists the valid providers, former names included, for an unknown one', () => {
    const [problem] = problemsOf({ ADAPTER_TYPE: 'gpt5' });
    expect(problem).toBe(
      'ADAPTER_TYPE: expected one of openai, deepseek, openrouter, vllm, ollama, generic, gpt-4.1, deepseekchat, deepseekreasoner, received "gpt5"',
    );
  });

  it('never shows a secret that is wrong', () => {
    const problems = problemsOf({ DATABASE_URL: 'mysql://root:hunter2@db' });
    expect(problems.join()).toContain('DATABASE_URL: expected a URL that begins with postgres://');
    expect(problems.join()).not.toContain('hunter2');
  });

  it.each([
    ['http://cache:6379', 'expected a URL that begins with redis:// or rediss://'],
    [
      'redis://user:hunter2@cache:6379/orion',
      'expected redis://user:password@host:port/number of a database',
    ],
    ['redis://user:100%hunter2@cache', 'expected redis://user:password@host:port/number of a database'],
    ['redis:///3', 'expected redis://user:password@host:port/number of a database'],
  ])('takes no address of a Redis that it could not use: %s', (url, expected) => {
    const [problem = ''] = problemsOf({ REDIS_URL: url });
    expect(problem).toContain(`REDIS_URL: ${expected}`);
    expect(problem).not.toContain('hunter2');
  });

  it.each(["anna's", 'a"b', 'a\\b'])('takes no task queue that a query cannot name: %s', (name) => {
    expect(problemsOf({ ORION_TASK_QUEUE: name })).toEqual([
      `ORION_TASK_QUEUE: expected a name without quotes and backslashes, received ${JSON.stringify(name)}`,
    ]);
    expect(loadConfig({ ORION_TASK_QUEUE: 'team 7/blue' }).temporal.taskQueue).toBe('team 7/blue');
  });

  it('takes a Redis with a login, the number of a database, and TLS', () => {
    const url = 'rediss://orion:p%40ss@cache.example:6380/3';
    expect(loadConfig({ REDIS_URL: url }).live.redisUrl).toBe(url);
    expect(loadConfig({ REDIS_URL_FILE: fileWith('redis', `${url}\n`) }).live.redisUrl).toBe(url);
  });

  it('refuses a shared secret that can be guessed', () => {
    expect(problemsOf({ ORION_INTERNAL_TOKEN: 'x'.repeat(31) })).toEqual([
      'ORION_INTERNAL_TOKEN: expected at least 32 characters, received a value that is not shown',
    ]);
    expect(loadConfig({ ORION_INTERNAL_TOKEN: 'x'.repeat(32) }).live.token).toHaveLength(32);
  });

  it('names all that a gateway or worker cannot run without', () => {
    expect(problemsOf({}, loadServiceConfig)).toEqual([
      'ORION_INTERNAL_TOKEN: expected a value, received nothing',
      'DATABASE_URL: expected a value, received nothing',
      'TEMPORAL_ADDRESS: expected host:port, received nothing',
    ]);
  });

  it('names a Temporal profile file that is not there: a server of our own would start instead', () => {
    expect(problemsOf({ TEMPORAL_CONFIG_FILE: '/nowhere/temporal.toml' })).toEqual([
      expect.stringMatching(
        /^TEMPORAL_CONFIG_FILE: expected the path of a readable file, received "\/nowhere\/temporal.toml"/,
      ),
    ]);
  });

  it('refuses a login in an address, and does not repeat it', () => {
    expect(problemsOf({ OPENAI_BASE_URL: 'https://me:hunter2@models.example/v1' })).toEqual([
      'OPENAI_BASE_URL: expected a URL without user name and password, received "https://********@models.example/v1"',
    ]);
  });

  it('names what is wrong with the MCP servers beside all else', () => {
    const ORION_MCP_CONFIG = fileWith('mcp.json', '{"mcpServers":{"s":{"command":""}}}');
    expect(problemsOf({ ORION_MCP_CONFIG, ORION_PORT: 'x' }).slice(1)).toEqual([
      expect.stringMatching(/^ORION_MCP_CONFIG: .*mcpServers\.s\.command/),
    ]);
  });

  it('repeats nothing of a file of MCP servers that is no JSON: it may have keys', () => {
    const ORION_MCP_CONFIG = fileWith('keys.json', '{"mcpServers":{"s":{"env":{"KEY":sk-secret-1}}}}');
    const problems = problemsOf({ ORION_MCP_CONFIG, ORION_PORT: 'x' }).join('\n');
    expect(problems).toMatch(/ORION_MCP_CONFIG: .*it is no JSON/);
    expect(problems).not.toContain('secret');
  });

  it('names every entry of the API keys that cannot be used, beside all else', () => {
    const entry = { name: 'a', sha256: 'f'.repeat(64), projects: ['*'] };
    const keys = [entry, { name: 'b', sha256: 'orion_secret', projects: [] }];
    const ORION_API_KEYS_FILE = fileWith('wrong-keys.json', JSON.stringify(keys));
    const place = `ORION_API_KEYS_FILE: ${ORION_API_KEYS_FILE}:`;
    expect(problemsOf({ ORION_API_KEYS_FILE, ORION_PORT: 'x' }).slice(1)).toEqual([
      `${place} [1] › sha256: expected 64 hexadecimal digits (the digest, not the key), received a value that is not shown`,
      `${place} [1] › projects: expected at least one project, received an array`,
    ]);
    const twins = fileWith('twins.json', JSON.stringify([entry, { ...entry, sha256: '0'.repeat(64) }]));
    expect(problemsOf({ ORION_API_KEYS_FILE: twins })).toEqual([
      `ORION_API_KEYS_FILE: ${twins}: [1] › name: expected one that no entry before it has, received "a"`,
    ]);
    expect(problemsOf({ ORION_API_KEYS_FILE: folder })).toEqual([expect.stringMatching(/EISDIR/)]);
  });

  it('says which Temporal profile is missing', () => {
    const file = fileWith('temporal.toml', '[profile.cloud]\naddress = "cloud:7233"\n');
    expect(problemsOf({ TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'moon' })).toEqual([
      "TEMPORAL_*: Profile 'moon' not found in config data",
    ]);
  });
});

describe('the address to listen on', () => {
  it.each(['127.0.0.1', 'localhost', '::1', '127.1.2.3'])('%s is loopback', (host) => {
    expect(loadConfig({ ORION_HOST: host }).http.host).toBe(host);
  });

  it.each(['0.0.0.0', '::', '192.168.0.1', '127.0.0.1.example.com', 'orion.local'])(
    '%s is refused',
    (host) => {
      expect(problemsOf({ ORION_HOST: host })).toEqual([
        expect.stringMatching(/^ORION_HOST: expected 127\.0\.0\.1/),
      ]);
    },
  );

  it('is free where API keys decide who may come', () => {
    const ORION_API_KEYS_FILE = fileWith('keys.json', '[]');
    expect(loadConfig({ ORION_HOST: '0.0.0.0', ORION_API_KEYS_FILE }).http.host).toBe('0.0.0.0');
  });

  it('is checked even when another variable is wrong', () => {
    expect(problemsOf({ ORION_HOST: '0.0.0.0', ORION_PORT: 'x' })).toHaveLength(2);
  });
});

describe('switches', () => {
  it.each(['on', 'TRUE', ' yes ', '1'])('LIVE_LANE=%j is on', (value) => {
    expect(loadConfig({ LIVE_LANE: value }).live.isEnabled).toBe(true);
  });

  it.each(['off', 'False', 'no', '0'])('LIVE_LANE=%j is off', (value) => {
    expect(loadConfig({ LIVE_LANE: value }).live.isEnabled).toBe(false);
  });

  it.each([
    ['true', true],
    [' YES', true],
    ['1', true],
    ['On', true],
    ['', false],
    [' ', false],
    ['0', false],
    ['OFF', false],
  ])('TWO_STAGE_ENABLED=%j is %j: emptied it is off', (value, enabled) => {
    expect(loadConfig({ TWO_STAGE_ENABLED: value }).turns.offersTwoStage).toBe(enabled);
  });

  it('TWO_STAGE_ENABLED accepts no other word', () => {
    expect(problemsOf({ TWO_STAGE_ENABLED: 'maybe' })).toEqual([
      'TWO_STAGE_ENABLED: expected on, true, yes, 1 or off, false, no, 0 or nothing, which is off, received "maybe"',
    ]);
  });
});

describe('secrets', () => {
  it('are read from files, without the line end that editors add', () => {
    const path = fileWith('key', 'sk-from-file\n');
    expect(loadConfig({ OPENAI_API_KEY_FILE: path }).model.apiKey).toBe('sk-from-file');
  });

  it('are not taken from two places', () => {
    const path = fileWith('key2', 'sk-file');
    expect(problemsOf({ OPENAI_API_KEY: 'sk-env', OPENAI_API_KEY_FILE: path })).toEqual([
      'OPENAI_API_KEY_FILE: expected nothing while OPENAI_API_KEY is set, received a path',
    ]);
  });

  it('name the file that cannot be read', () => {
    expect(problemsOf({ DATABASE_URL_FILE: '/nowhere/url' })).toEqual([
      expect.stringMatching(
        /^DATABASE_URL_FILE: expected the path of a readable file, received "\/nowhere\/url"/,
      ),
    ]);
  });

  it('do not show when the settings are printed, wherever they stand', () => {
    const listed = listConfig({
      DATABASE_URL: 'postgres://orion:hunter2@db:5432/orion?password=hunter3',
      OPENAI_API_KEY: 'sk-secret',
      ORION_INTERNAL_TOKEN: 'hidden-token'.repeat(3),
      TEMPORAL_API_KEY: 'hidden-key',
      OPENAI_BASE_URL: 'https://models.example/v1?key=hidden-query',
    });
    const printed = listed.map(({ name, value }) => `${name}=${value}`);
    expect(printed.join('\n')).not.toMatch(/hunter|sk-secret|hidden/);
    expect(printed).toContain('OPENAI_BASE_URL=https://models.example/v1?********');
    expect(printed).toContain('DATABASE_URL=postgres://orion:********@db:5432/orion?password=********');
    expect(printed).toContain('ORION_PORT=5000');
  });
});

describe('the model', () => {
  it.each([
    [{ OPENAI_API_KEY: 'k' }, { provider: 'openai', model: 'gpt-4.1', baseUrl: 'https://api.openai.com/v1' }],
    [{ OPENAI_BASE_URL: 'http://m:1/v1/' }, { provider: 'generic', baseUrl: 'http://m:1/v1' }],
    [
      { OPENAI_API_KEY: 'k', ADAPTER_TYPE: 'deepseekreasoner' },
      { provider: 'deepseek', model: 'deepseek-reasoner' },
    ],
    [
      { OPENAI_API_KEY: 'k', ORION_MODEL_PROVIDER: 'deepseek', ADAPTER_TYPE: 'openai' },
      { provider: 'deepseek' },
    ],
    [
      { OPENAI_API_KEY: 'k', ADAPTER_TYPE: 'gpt-4.1', ORION_MODEL: 'gpt-9' },
      { provider: 'openai', model: 'gpt-9' },
    ],
  ])('%j', (env, model) => {
    expect(loadConfig(env).model).toMatchObject({ kind: 'provider', ...model });
  });
});

describe('the price of the demo model', () => {
  it('is known: it costs nothing, and a budget may be set as well', () => {
    const free = { input: 0, cached: 0, cacheWrite: 0, output: 0 };
    expect(loadConfig({ MAX_TURN_COST: '1' }).prices.get('orion-demo')).toEqual(free);
    expect(problemsOf({ MAX_TURN_COST: '1', OPENAI_API_KEY: 'k', ORION_MODEL: 'big' })).toEqual([
      'ORION_PRICES_FILE: expected a price of every model, since there is a budget (MAX_TURN_COST), received none of big',
    ]);
  });
});

describe('models that turns may ask for', () => {
  it('are the configured one first, then those of ORION_MODELS, each once', () => {
    const env = { OPENAI_API_KEY: 'k', ORION_MODEL: 'b', ORION_MODELS: 'a, b ,c,a' };
    expect(loadConfig(env).model.offered).toEqual(['b', 'a', 'c']);
    expect(loadConfig({}).model.offered).toEqual(['orion-demo']);
    expect(problemsOf({ ORION_MODELS: 'a b' })).toEqual([
      'ORION_MODELS: expected names of models, received "a b"',
    ]);
  });
});

describe('the settings that a gateway shows', () => {
  it('are all that it reads, with secrets masked and defaults marked', () => {
    const env = {
      DATABASE_URL: 'postgres://orion:word@db/orion',
      TEMPORAL_ADDRESS: 't:7233',
      ORION_INTERNAL_TOKEN: 'secret-of-forty-characters-and-some-more',
      MAX_PHASE_CYCLES: '7',
    };
    const { settings } = loadGatewayConfig(env);
    const find = (name: string) => settings.find((setting) => setting.name === name);
    expect(find('MAX_PHASE_CYCLES_PER_TURN')).toMatchObject({ value: '7', isDefault: false });
    expect(find('ORION_PORT')).toMatchObject({ value: '5000', isDefault: true });
    expect(find('ORION_MODELS')).toMatchObject({ value: '', isDefault: true });
    expect(find('ORION_INTERNAL_TOKEN')).toMatchObject({ value: '********', isDefault: false });
    expect(JSON.stringify(settings)).not.toMatch(/word|forty/);
    // Only the workers have this setting, so it is unset here, whatever they run with.
    expect(find('OPENAI_API_KEY')).toBeUndefined();
  });
});

describe('Temporal', () => {
  it('is reached with TLS when an API key is set, also by file', () => {
    const path = fileWith('temporal-key', 'cloud-key\n');
    const { temporal } = loadConfig({ TEMPORAL_ADDRESS: 'c.tmprl.cloud:7233', TEMPORAL_API_KEY_FILE: path });
    expect(temporal.connection).toMatchObject({
      address: 'c.tmprl.cloud:7233',
      apiKey: 'cloud-key',
      tls: true,
    });
  });

  it('takes the same words for a switch as every other variable', () => {
    const { temporal } = loadConfig({ TEMPORAL_ADDRESS: 'a:1', TEMPORAL_TLS: 'on', TEMPORAL_NAMESPACE: 'n' });
    expect(temporal.connection?.tls).toBeTruthy();
    expect(temporal.namespace).toBe('n');
  });

  it('is not redirected by a profile that no variable names', () => {
    mkdirSync(join(folder, 'temporalio'));
    fileWith('temporalio/temporal.toml', '[profile.default]\naddress = "elsewhere:7233"\n');
    const home = { XDG_CONFIG_HOME: folder, HOME: folder };
    expect(loadConfig(home).temporal.address).toBeUndefined();
    expect(loadConfig({ ...home, TEMPORAL_PROFILE: 'default' }).temporal.address).toBe('elsewhere:7233');
  });

  it('links to no Web UI that it does not know', () => {
    expect(loadConfig({ TEMPORAL_ADDRESS: 'a:1' }).temporal.uiUrl).toBeUndefined();
    expect(loadConfig({}).temporal.uiUrl).toBe('http://127.0.0.1:8233');
  });
});

it('the configuration never fails with anything but a list of problems, whatever the environment holds', () => {
  const name = fc.constantFrom(...listConfig({}).map((setting) => setting.name));
  fc.assert(
    fc.property(fc.dictionary(name, fc.string({ unit: 'binary' })), (env) => {
      for (const problem of problemsOf(env)) expect(problem).toMatch(/^[A-Z_*]+: /);
    }),
  );
});
