import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../../src/base/errors/config-error.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { readPrices } from '../../../src/config/files/prices-file.ts';

const withFile = <T>(content: unknown, use: (path: string) => T): T => {
  const folder = mkdtempSync(join(tmpdir(), 'orion-prices-'));
  const path = join(folder, 'prices.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  try {
    return use(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const problemsOf = (content: unknown): string[] =>
  withFile(content, (path) => {
    const problems: string[] = [];
    expect(readPrices(path, problems)).toEqual(new Map());
    return problems.map((problem) => problem.replace(`ORION_PRICES_FILE: ${path}: `, ''));
  });

const PRICE = 'a price per million tokens, 0 to 1000000 with at most six decimals';

describe('the prices file', () => {
  it('gives models their prices; what a cache does costs as any input unless it is said', () => {
    const problems: string[] = [];
    const file = {
      a: { input: 2, cached: 0.5, cacheWrite: 2.5, output: 8 },
      'b/c': { input: 0.000001, output: 0 },
    };
    const prices = withFile(file, (path) => readPrices(path, problems));
    expect(problems).toEqual([]);
    expect(Object.fromEntries(prices)).toEqual({
      a: { input: 2_000_000, cached: 500_000, cacheWrite: 2_500_000, output: 8_000_000 },
      'b/c': { input: 1, cached: 1, cacheWrite: 1, output: 0 },
    });
  });

  it('has all its problems reported at once, with place, expected and received', () => {
    const file = {
      a: { input: -1, output: '8' },
      b: { input: 1, output: 2, outptu: 3 },
      'gpt-4.1': { input: 1_000_001, output: 0.0000001 },
      c: 5,
      d: { input: 1 },
    };
    expect(problemsOf(file).toSorted()).toEqual([
      `a › input: expected ${PRICE}, received -1`,
      `a › output: expected ${PRICE}, received "8"`,
      'b: expected input, cached, cacheWrite and output only, received outptu',
      'c: expected an object of prices, received 5',
      `d › output: expected ${PRICE}, received nothing`,
      `gpt-4.1 › input: expected ${PRICE}, received 1000001`,
      `gpt-4.1 › output: expected ${PRICE}, received 1e-7`,
    ]);
    expect(problemsOf([])).toEqual(['expected an object of models, received []']);
  });

  it('has to name every model where there is a budget', () => {
    const env = {
      ORION_MODEL_PROVIDER: 'openai',
      OPENAI_API_KEY: 'k',
      ORION_MODEL: 'a',
      ORION_MODELS: 'b,c',
    };
    const priced = { input: 1, output: 1 };
    const none = 'ORION_PRICES_FILE: expected a price of every model, since there is a budget';
    withFile({ a: priced, c: priced }, (path) => {
      const load = () => loadConfig({ ...env, ORION_PRICES_FILE: path, MAX_TURN_COST: '0.5' });
      expect(load).toThrow(`${none} (MAX_TURN_COST), received none of b`);
      const { prices } = loadConfig({ ...env, ORION_PRICES_FILE: path });
      expect([...prices.keys()]).toEqual(['orion-demo', 'a', 'c']);
    });
    const all = { a: priced, b: priced, c: priced };
    const { turns } = withFile(all, (path) =>
      loadConfig({ ...env, ORION_PRICES_FILE: path, MAX_TURN_COST: '0.5' }),
    );
    expect(turns.maxTurnCost).toBe(500_000);
    const keys = [{ name: 'ann', sha256: 'a'.repeat(64), projects: ['*'], costPerDay: 1.5 }];
    withFile(keys, (path) => {
      const load = () => loadConfig({ ...env, ORION_API_KEYS_FILE: path });
      expect(load).toThrow(`${none} (costPerDay of ann), received none of a, b, c`);
    });
  });

  it('stops the start when it cannot be read, and is reported together with all other problems', () => {
    expect(() => loadConfig({ ORION_PRICES_FILE: '/nowhere/prices.json', ORION_PORT: 'x' })).toThrow(
      ConfigError,
    );
    const problems: string[] = [];
    readPrices('/nowhere/prices.json', problems);
    expect(problems).toEqual([
      expect.stringMatching(
        /^ORION_PRICES_FILE: expected a JSON file of prices, received \/nowhere\/prices\.json \(.*ENOENT/,
      ),
    ]);
  });
});
