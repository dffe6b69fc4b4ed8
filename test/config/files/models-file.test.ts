import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../../src/base/errors/config-error.ts';
import { loadConfig, loadGatewayConfig } from '../../../src/config/load-config.ts';
import { fallbacksOf } from '../../../src/config/files/model-fallbacks.ts';
import { readModels } from '../../../src/config/files/models-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'orion-models-'));
afterAll(() => rmSync(folder, { recursive: true }));

const fileWith = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const modelsIn = (content: unknown): string => fileWith('models.json', content);

const problemsOf = (content: unknown): string[] => {
  const problems: string[] = [];
  const path = modelsIn(content);
  readModels(path, true, problems);
  return problems.map((problem) => problem.replace(`ORION_MODELS_FILE: ${path}: `, ''));
};

const problemsAtStart = (env: Record<string, string>): readonly string[] => {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

const local = { baseUrl: 'http://127.0.0.1:8000/v1', provider: 'vllm' };
const priced = { input: 1, output: 2 };

describe('the models file', () => {
  it('says how a model is reached and what it can do; its key is in a file of its own, which is read once', () => {
    const apiKeyFile = fileWith('key', 'sk-other\n');
    const models = {
      big: { provider: 'deepseek', apiKeyFile, name: 'deepseek-chat', vision: true },
      own: local,
    };
    const problems: string[] = [];
    const read = readModels(modelsIn(models), true, problems);
    expect(problems).toEqual([]);
    expect(read.get('big')).toMatchObject({
      providerName: 'deepseek-chat',
      connection: { provider: 'deepseek', baseUrl: 'https://api.deepseek.com', apiKey: 'sk-other' },
      vision: true,
    });
    fileWith('key', 'sk-rotated\n');
    expect(read.get('big')?.connection?.apiKey).toBe('sk-other');
    expect(readModels(modelsIn(models), true, problems).get('big')?.connection?.apiKey).toBe('sk-rotated');
    expect(read.get('own')).toMatchObject({
      providerName: 'own',
      connection: { ...local, apiKey: undefined },
      contextWindow: undefined,
    });
  });

  it('has all its problems reported at once, without quoting a key or an address', () => {
    const notAKey = fileWith('bad-key', 'two words');
    const problems = problemsOf({
      a: { apiKey: 'sk-secret' },
      b: { baseUrl: 'https://me:pw@host/v1', apiKeyFile: 'sk-secret' },
      c: { provider: 'acme', contextWindow: 8_000, vision: 'yes', prices: { input: -1 } },
      'd e': {},
      f: 5,
      g: { ...local, apiKeyFile: join(folder, 'nowhere') },
      h: { ...local, apiKeyFile: notAKey },
      i: { apiKeyFile: notAKey },
      j: { fallback: 'a' },
      k: { fallback: 'x' },
    });
    const price = 'a price per million tokens, 0 to 1000000 with at most six decimals';
    expect(problems).toEqual([
      'a: expected name, baseUrl, apiKeyFile, provider, contextWindow, prices, vision and fallback only, received apiKey',
      'b › baseUrl: expected a URL without user name and password, received a value that is not shown',
      'b › apiKeyFile: expected the absolute path of a file with the key, received a value that is not shown',
      'c › provider: expected "openai" or "deepseek" or "openrouter" or "vllm" or "ollama" or "generic", received "acme"',
      'c › contextWindow: expected tokens, an integer from 9192 to 100000000, received 8000',
      `c › prices › input: expected ${price}, received -1`,
      `c › prices › output: expected ${price}, received nothing`,
      'c › vision: expected true or false, received "yes"',
      'expected names of 1 to 200 characters without blanks, received "d e"',
      'f: expected an object, received 5',
      expect.stringMatching(
        /^g › apiKeyFile: expected the path of a readable file, received .*nowhere \(.*ENOENT/,
      ),
      `h › apiKeyFile: expected printable ASCII characters without blanks in ${notAKey}, received a value that is not shown`,
      'i › apiKeyFile: expected baseUrl or provider beside it, received neither',
      'k › fallback: expected a model of this file, received "x"',
    ]);
    expect(problemsOf('[]')).toEqual(['expected an object of models, received []']);
    expect(problemsOf('{ "a": sk-secret }').join()).toMatch(/it is no JSON/);
    expect(problemsOf('{ "a": sk-secret }').join()).not.toContain('sk-secret');
  });

  it('reads no key in a process that may not have it', () => {
    const problems: string[] = [];
    const path = modelsIn({ a: { ...local, apiKeyFile: '/nowhere/key' } });
    expect(readModels(path, false, problems).get('a')?.connection?.apiKey).toBeUndefined();
    expect(problems).toEqual([]);
  });

  it('has its problems among those of the settings', () => {
    const problems = problemsAtStart({ ORION_MODELS_FILE: '/nowhere/models.json', ORION_PORT: 'x' });
    expect(problems).toEqual([
      expect.stringMatching(/^ORION_PORT: /),
      expect.stringMatching(/^ORION_MODELS_FILE: expected a JSON file of models, received \/nowhere.*ENOENT/),
    ]);
  });
});

describe('fallbacks of models', () => {
  it('are a chain of models with known windows, which ends', () => {
    const models = {
      a: { ...local, fallback: 'b' },
      b: { ...local, contextWindow: 20_000, fallback: 'c' },
      c: { ...local, contextWindow: 9_192 },
    };
    const problems: string[] = [];
    const read = readModels(modelsIn(models), true, problems);
    expect(problems).toEqual([]);
    expect(fallbacksOf(read, 'a')).toEqual([
      { model: 'b', promptTokens: 11_808 },
      { model: 'c', promptTokens: 1_000 },
    ]);
    expect(fallbacksOf(read, 'c')).toEqual([]);
    expect(fallbacksOf(read, 'unknown')).toEqual([]);
  });

  it('that go round, are unknown, too many or of unknown size are refused', () => {
    const known = { ...local, contextWindow: 20_000 };
    expect(problemsOf({ a: { ...known, fallback: 'b' }, b: { ...known, fallback: 'a' } })).toEqual([
      'a › fallback: expected models that do not come back, received a › b › a',
      'b › fallback: expected models that do not come back, received b › a › b',
    ]);
    expect(problemsOf({ a: { ...known, fallback: 'a' } })).toEqual([
      'a › fallback: expected models that do not come back, received a › a',
    ]);
    expect(problemsOf({ a: { ...local, fallback: 'x' } })).toEqual([
      'a › fallback: expected a model of this file, received "x"',
    ]);
    expect(problemsOf({ a: { ...local, fallback: 'b' }, b: local })).toEqual([
      'b › contextWindow: expected tokens, since it is the fallback of a, received nothing',
    ]);
    const row = Object.fromEntries(
      [...'abcde'].map((name, i, all) => [name, { ...known, ...(all[i + 1] && { fallback: all[i + 1] }) }]),
    );
    expect(problemsOf(row)).toEqual([
      'a › fallback: expected at most 3 in a row, received a › b › c › d › e',
    ]);
  });
});

describe('models of the models file', () => {
  const path = fileWith('offered.json', {
    a: { ...local, prices: priced, fallback: 'b' },
    b: { ...local, contextWindow: 20_000, vision: true },
  });

  it('answer in the place of the demo model where neither key nor address is set', () => {
    const { model } = loadConfig({ ORION_MODELS_FILE: path });
    expect(model).toMatchObject({ kind: 'provider', model: 'a', baseUrl: local.baseUrl, provider: 'vllm' });
    expect(model.offered).toEqual(['a', 'b']);
    expect(loadConfig({ ORION_MODELS_FILE: path, ORION_MODEL: 'b' }).model.offered).toEqual(['b', 'a']);
    const gateway = {
      DATABASE_URL: 'postgres://db/o',
      TEMPORAL_ADDRESS: 't:7233',
      ORION_INTERNAL_TOKEN: 't'.repeat(40),
    };
    expect(loadGatewayConfig({ ...gateway, ORION_MODELS_FILE: path }).model.offered).toEqual(['a', 'b']);
    // Only workers have the API key that selects OpenAI without its name, so a gateway has to be told the provider.
    const named = { ...gateway, ORION_MODELS_FILE: path, ORION_MODEL_PROVIDER: 'openai' };
    expect(loadGatewayConfig(named).model.offered).toEqual(['gpt-4.1', 'a', 'b']);
  });

  it('are offered as ORION_MODELS says, and listed with what is known of them', () => {
    const env = { ORION_MODELS_FILE: path, OPENAI_API_KEY: 'k', ORION_MODEL: 'm', ORION_MODELS: 'b' };
    const { model } = loadConfig(env);
    expect(model.offered).toEqual(['m', 'b']);
    expect(model.facts).toEqual([
      { name: 'm', contextWindow: null, vision: null, fallback: null },
      { name: 'b', contextWindow: 20_000, vision: true, fallback: null },
    ]);
  });

  it('have to be reachable', () => {
    const nowhere = { ORION_MODELS_FILE: fileWith('nowhere.json', { a: local, b: {} }), ORION_MODELS: 'a,x' };
    expect(problemsAtStart(nowhere)).toEqual([
      'ORION_MODELS_FILE: expected baseUrl or provider of every model, since neither OPENAI_API_KEY nor OPENAI_BASE_URL is set, received none of x, b',
    ]);
    expect(problemsAtStart({ ...nowhere, OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' })).toEqual([]);
  });

  it('have the prices of this file before those of the prices file, and need them where there is a budget', () => {
    const prices = fileWith('prices.json', { a: { input: 9, output: 9 }, b: priced });
    const env = { ORION_MODELS_FILE: path, MAX_TURN_COST: '1' };
    const { prices: read } = loadConfig({ ...env, ORION_PRICES_FILE: prices });
    expect(read.get('a')).toMatchObject({ input: 1_000_000, output: 2_000_000 });
    expect(read.get('b')).toMatchObject({ input: 1_000_000 });
    // The model is not offered, but it is a fallback of one that is.
    expect(problemsAtStart({ ...env, ORION_MODELS: 'a' })).toEqual([
      'ORION_PRICES_FILE: expected a price of every model, since there is a budget (MAX_TURN_COST), received none of b',
    ]);
  });
});
