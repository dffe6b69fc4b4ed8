/**
 * Tests the file of API keys: what it may contain, how a key is recognised, and what an edit does to a running gateway.
 */
import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findKey, parseApiKeys, type ApiKey } from '../../src/access/api-keys.ts';
import { openKeyring, type KeyringLog } from '../../src/access/key-file.ts';
import { newKey } from '../../src/access/new-key.ts';
import { ConfigError } from '../../src/base/errors/config-error.ts';

const folder = mkdtempSync(join(tmpdir(), 'orion-keys-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const keysOf = (entries: unknown): readonly ApiKey[] => {
  const parsed = parseApiKeys(JSON.stringify(entries));
  if (parsed.kind === 'problems') throw new Error(parsed.problems.join('\n'));
  return parsed.keys;
};
const problemsOf = (text: string): readonly string[] => {
  const parsed = parseApiKeys(text);
  return parsed.kind === 'problems' ? parsed.problems : [];
};

describe('a new key', () => {
  it('is recognised by its entry, and opens only the projects of the entry', () => {
    const { key, entry } = newKey('ci', ['a', 'b']);
    const found = findKey(keysOf([newKey('other', ['*']).entry, entry]), key);
    expect(found?.name).toBe('ci');
    expect(['a', 'b', 'c', '*', ''].filter((id) => found?.opens(id))).toEqual(['a', 'b']);
    expect(JSON.stringify(entry)).not.toContain(key);
  });

  it('with * opens every project', () => {
    const { key, entry } = newKey('all', ['*']);
    expect(findKey(keysOf([entry]), key)?.opens('anything')).toBe(true);
  });

  it('is never drawn twice, and nothing near it is recognised', () => {
    const made = Array.from({ length: 100 }, (_, index) => newKey(`k${index}`, ['p']));
    expect(new Set(made.map(({ key }) => key)).size).toBe(100);
    const keys = keysOf(made.map(({ entry }) => entry));
    for (const { key, entry } of made) {
      expect(findKey(keys, key)?.name).toBe(entry.name);
      for (const near of [`${key} `, key.slice(0, -1), key.toUpperCase(), entry.sha256, '']) {
        expect(findKey(keys, near)).toBeUndefined();
      }
    }
  });
});

describe('a file that cannot be used', () => {
  it.each([
    ['', 'expected a JSON array of keys, received text that is not JSON'],
    ['{}', 'expected an array, received an object'],
    ['[7]', '[0]: expected an object, received 7'],
    ['[null]', '[0]: expected an object, received null'],
    ['[{}]', '[0] › name: expected a string, received nothing'],
    ['[{"name":"a/b"}]', '[0] › name: expected 1-128 characters of A-Z a-z 0-9 . _ : -, received "a/b"'],
    ['[{"projects":["*","/"]}]', '[0] › projects › [1]: expected "*" or the id of a project, received "/"'],
    [
      '[{"key":"orion_secret"}]',
      '[0]: expected name, sha256, projects, approves and costPerDay only, received key',
    ],
  ])('%s: %s', (text, problem) => {
    expect(problemsOf(text)).toContain(problem);
    expect(problemsOf(text).join()).not.toContain('secret');
  });

  it('is reported with all its problems, whatever it contains', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const parsed = parseApiKeys(text);
        if (parsed.kind === 'problems') expect(parsed.problems.length).toBeGreaterThan(0);
      }),
    );
  });
});

describe('a running gateway', () => {
  /** Creates a log whose next line can be awaited. */
  const createLog = () => {
    let logged = Promise.withResolvers<string>();
    const tell = (_details: object, message: string): void => {
      logged.resolve(message);
      logged = Promise.withResolvers<string>();
    };
    const log: KeyringLog = { info: tell, error: tell };
    return { log, next: () => logged.promise };
  };

  it('follows the file, and keeps the old keys after an edit that cannot be used', async () => {
    const path = join(folder, 'keys.json');
    const [first, second] = [newKey('first', ['a']), newKey('second', ['a'])];
    writeFileSync(path, JSON.stringify([first.entry]));
    const { log, next } = createLog();
    const keyring = openKeyring({ path, log, allowsBoundKeys: true, watchMs: 20 });
    expect(keyring.find(first.key)?.name).toBe('first');

    let logged = next();
    appendFileSync(path, 'oops');
    expect(await logged).toBe('the changed API keys cannot be used: the old ones stay');
    expect(keyring.find(first.key)?.name).toBe('first');

    logged = next();
    writeFileSync(`${path}.new`, JSON.stringify([second.entry]));
    renameSync(`${path}.new`, path);
    expect(await logged).toBe('API keys were read again');
    expect(keyring.find(first.key)).toBeUndefined();
    expect(keyring.find(second.key)?.name).toBe('second');

    logged = next();
    rmSync(path);
    expect(await logged).toBe('the changed API keys cannot be used: the old ones stay');
    expect(keyring.find(second.key)?.name).toBe('second');
    keyring.close();
  });

  it('accepts no key that is bound to projects while all projects share their files', async () => {
    const path = join(folder, 'open.json');
    const [first, second] = [newKey('first', ['*']), newKey('second', ['a'])];
    writeFileSync(path, JSON.stringify([first.entry]));
    const { log, next } = createLog();
    const keyring = openKeyring({ path, log, allowsBoundKeys: false, watchMs: 20 });
    const logged = next();
    writeFileSync(path, JSON.stringify([first.entry, second.entry]));
    expect(await logged).toBe('the changed API keys cannot be used: the old ones stay');
    expect([keyring.find(first.key)?.name, keyring.find(second.key)]).toEqual(['first', undefined]);
    keyring.close();
    expect(() => openKeyring({ path, log, allowsBoundKeys: false })).toThrow(
      'ORION_PROJECT_FOLDERS: expected on',
    );
  });

  it('does not start with a file that cannot be used', () => {
    const { log } = createLog();
    expect(() => openKeyring({ path: join(folder, 'missing.json'), log, allowsBoundKeys: true })).toThrow(
      ConfigError,
    );
  });
});
