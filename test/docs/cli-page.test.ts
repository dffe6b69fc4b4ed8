/** docs/cli.md describes every command, option and exit code: a new one that the page leaves out is found here. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Command as Program } from 'commander';
import { createProgram } from '../../src/cli/args/program.ts';
import { EXIT } from '../../src/cli/process/exit-codes.ts';

const page = readFileSync('docs/cli.md', 'utf8');

interface Documented {
  /** The command as it is typed, including `orion`. */
  readonly command: string;
  readonly flags: readonly string[];
}

/** Returns the commands that do something themselves, each with its own flags. */
const commandsOf = (program: Program, path: readonly string[]): readonly Documented[] => {
  const own = [...path, program.name()];
  const flags = program.options
    .flatMap(({ short, long }) => [short, long])
    .filter((flag) => flag !== undefined);
  const children = program.commands.flatMap((child) => commandsOf(child, own));
  const isGroup = children.length > 0 && path.length > 0;
  return [...(isGroup ? [] : [{ command: own.join(' '), flags }]), ...children];
};

const commands = commandsOf(
  createProgram(() => undefined),
  [],
);

/** Reports whether the page has this word in code, and not as the beginning of another word. */
const shows = (text: string): boolean =>
  new RegExp(`\`[^\`]*(?<![\\w-])${text}(?![\\w-])[^\`]*\``).test(page);

describe('docs/cli.md', () => {
  it.each(commands)('has $command with $flags', ({ command, flags }) => {
    expect([command, ...flags].filter((text) => !shows(text))).toEqual([]);
  });

  it('has the command that the completion of a shell calls, which no parser adds', () => {
    expect(shows('orion completion')).toBe(true);
  });

  it('has every exit code and no other', () => {
    const section = /^## Exit codes\n(.*?)^## /ms.exec(page)?.[1] ?? '';
    const codes = [...section.matchAll(/^\| (\d+) /gm)].map(([, code]) => Number(code));
    expect(codes).toEqual(Object.values(EXIT).toSorted((a, b) => a - b));
  });
});
