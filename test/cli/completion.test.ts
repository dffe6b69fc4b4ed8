/** Tests `orion completion` in a shell that has no completion package. */
import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const env = { PATH: process.env['PATH'] ?? '', HOME: '/nowhere' };

/** Returns what Tab offers behind a line in a bash without the package bash-completion. */
const completionsOf = (line: string, words: readonly string[]): string => {
  const script = execFileSync(process.execPath, [main, 'completion', 'bash'], { env, encoding: 'utf8' });
  const asked = `orion() { "$NODE" "$MAIN" "$@"; }
    COMP_LINE="$1"; COMP_POINT=\${#1}; shift
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    __orion_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync(
    'bash',
    ['--norc', '--noprofile', '-c', `${script}\n${asked}`, 'bash', line, ...words],
    { env: { ...env, NODE: process.execPath, MAIN: main }, encoding: 'utf8' },
  );
  expect(stderr).not.toContain('command not found');
  return stdout.trim();
};

describe('in a bash without bash-completion', () => {
  it.each([
    ['orion sess', ['orion', 'sess'], 'sessions'],
    ['orion --url http://h sta', ['orion', '--url', 'http', ':', '//h', 'sta'], 'status'],
  ])('%s and Tab', (line, words, candidate) => {
    expect(completionsOf(line, words)).toBe(candidate);
  });
});

it.each([[[]], [['nosh']], [['bash', 'again']]])('completion %j ends with 2', (args) => {
  const { status, stdout } = spawnSync(process.execPath, [main, 'completion', ...args], {
    env,
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
});
