import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, expect, it, jest } from '@jest/globals';
import { findKey, parseApiKeys } from '../../../src/access/api-keys.ts';
import { openKeyring } from '../../../src/access/key-file.ts';
import { parseInvocation } from '../../../src/cli/args/parse-invocation.ts';
import { runKeysNew } from '../../../src/cli/commands/keys-command.ts';

const run = (...argv: string[]) => {
  const invocation = parseInvocation(['keys', 'new', ...argv]);
  const written = { stdout: '', stderr: '' };
  if (invocation.kind === 'text' || invocation.command.name !== 'keys new') return { ...written, invocation };
  const to = (name: keyof typeof written) => ({ write: (text: string) => ((written[name] += text), true) });
  runKeysNew(to('stdout'), to('stderr'), invocation.command);
  return { ...written, invocation };
};

it('prints the key once, and an entry that recognises it and opens the requested projects', () => {
  const { stdout, stderr } = run('--projects', 'a, b', '--name', 'ci');
  const [key = '', entry = ''] = stdout.split('\n');
  const parsed = parseApiKeys(`[${entry}]`);
  const found = parsed.kind === 'keys' ? findKey(parsed.keys, key) : undefined;
  expect(found?.name).toBe('ci');
  expect(['a', 'b', 'c'].filter((id) => found?.opens(id))).toEqual(['a', 'b']);
  expect([...`${stdout}${stderr}`.matchAll(new RegExp(key, 'g'))]).toHaveLength(1);
});

it('`orion keys` gives unnamed keys names that do not collide', () => {
  const names = [1, 2].map(() => {
    const { entry } = JSON.parse(run('--projects', '*', '--json').stdout) as {
      entry: { name: string };
    };
    return entry.name;
  });
  expect(new Set(names).size).toBe(2);
});

const folder = mkdtempSync(join(tmpdir(), 'orion-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void jest.restoreAllMocks());

const keyFile = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o640 });
  return path;
};

it('adds the entry to a file, and a gateway that runs takes the key', async () => {
  const path = keyFile('keys.json', '[]');
  const { promise: readAgain, resolve } = Promise.withResolvers<unknown>();
  const log = { info: resolve, error: resolve };
  const keyring = openKeyring({ path, log, allowsBoundKeys: false, watchMs: 5 });
  const first = run('--projects', '*', '--add-to', path).stdout.trim();
  await readAgain;
  expect(keyring.find(first)?.opensAll).toBe(true);
  keyring.close();

  const second = run('--projects', '*', '--add-to', path).stdout.trim();
  const parsed = parseApiKeys(readFileSync(path, 'utf8'));
  const keys = parsed.kind === 'keys' ? parsed.keys : [];
  expect([first, second].map((key) => findKey(keys, key) !== undefined)).toEqual([true, true]);
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect(readdirSync(folder)).toEqual(['keys.json']);
});

it('`orion keys` does not write a file that could not be used afterwards, nor while another process adds a key', () => {
  const path = keyFile('wrong.json', '{}');
  expect(() => run('--projects', '*', '--add-to', path)).toThrow(`${path}: expected`);
  expect(readFileSync(path, 'utf8')).toBe('{}');
  const taken = keyFile('taken.json', '[]');
  run('--projects', '*', '--name', 'ci', '--add-to', taken);
  expect(() => run('--projects', '*', '--name', 'ci', '--add-to', taken)).toThrow(
    'expected one that no entry',
  );
  writeFileSync(`${taken}.next`, '');
  expect(() => run('--projects', '*', '--add-to', taken)).toThrow('EEXIST');
  expect(() => run('--projects', '*', '--add-to', join(folder, 'none.json'))).toThrow('ENOENT');
});

/** Makes a file of keys, and beside it the lock that a killed run has left a minute ago. Returns both paths. */
const abandonedFile = (name: string): { readonly path: string; readonly lock: string } => {
  const path = keyFile(name, '[]');
  const lock = `${path}.next`;
  const minuteAgo = Date.now() / 1_000 - 60;
  writeFileSync(lock, '[{"name":');
  utimesSync(lock, minuteAgo, minuteAgo);
  return { path, lock };
};

/** Adds a key and expects it to be the one key of the file, with no other file left beside it. */
const expectAdded = (path: string): void => {
  const key = run('--projects', '*', '--add-to', path).stdout.trim();
  const parsed = parseApiKeys(readFileSync(path, 'utf8'));
  expect(parsed.kind === 'keys' && findKey(parsed.keys, key)?.opensAll).toBe(true);
  expect(readdirSync(folder).filter((name) => name.startsWith(basename(path)))).toEqual([basename(path)]);
};

it('`orion keys` adds a key although an earlier run was killed meanwhile, and leaves nothing of that run', () => {
  expectAdded(abandonedFile('killed.json').path);
});

it('`orion keys` adds a key although another process is faster to remove what a killed run has left', () => {
  const { path, lock } = abandonedFile('faster.json');
  const now = Date.now();
  // The age of the lock has been read when the clock is asked, and the lock is not removed yet.
  jest.spyOn(Date, 'now').mockImplementation(() => {
    rmSync(lock, { force: true });
    return now;
  });
  expectAdded(path);
});

it.each([[[]], [['--projects', 'a/b']], [['--projects', '']], [['--projects', 'a', '--name', 'x y']]])(
  'refuses %j',
  (argv) => {
    expect(run(...argv).invocation).toMatchObject({ kind: 'text', to: 'stderr', exitCode: 2 });
  },
);
