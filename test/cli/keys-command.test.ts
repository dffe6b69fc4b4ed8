import { expect, it } from '@jest/globals';
import { findKey, parseApiKeys } from '../../src/access/api-keys.ts';
import { parseArguments } from '../../src/cli/args/parse-arguments.ts';
import { printNewKey } from '../../src/cli/commands/keys-command.ts';

const run = (...argv: string[]) => {
  const invocation = parseArguments(['keys', 'new', ...argv]);
  const written = { stdout: '', stderr: '' };
  if (invocation.kind === 'text' || invocation.command.name !== 'keys new') return { ...written, invocation };
  const to = (name: keyof typeof written) => ({ write: (text: string) => ((written[name] += text), true) });
  printNewKey(to('stdout'), to('stderr'), invocation.command);
  return { ...written, invocation };
};

it('prints the key once, and an entry that recognises it and opens what was asked for', () => {
  const { stdout, stderr } = run('--projects', 'a, b', '--name', 'ci');
  const [key = '', entry = ''] = stdout.split('\n');
  const parsed = parseApiKeys(`[${entry}]`);
  const found = parsed.kind === 'keys' ? findKey(parsed.keys, key) : undefined;
  expect(found?.name).toBe('ci');
  expect(['a', 'b', 'c'].filter((id) => found?.opens(id))).toEqual(['a', 'b']);
  expect([...`${stdout}${stderr}`.matchAll(new RegExp(key, 'g'))]).toHaveLength(1);
});

it('names keys that nobody named so that they do not collide', () => {
  const names = [1, 2].map(() => {
    const { entry } = JSON.parse(run('--projects', '*', '--json').stdout) as {
      entry: { name: string };
    };
    return entry.name;
  });
  expect(new Set(names).size).toBe(2);
});

it.each([[[]], [['--projects', 'a/b']], [['--projects', '']], [['--projects', 'a', '--name', 'x y']]])(
  'refuses %j',
  (argv) => {
    expect(run(...argv).invocation).toMatchObject({ kind: 'text', to: 'stderr', exitCode: 2 });
  },
);
