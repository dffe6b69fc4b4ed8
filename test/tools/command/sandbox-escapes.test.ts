/**
 * Covers what a command may try to get out of its sandbox. Each attempt is seen to work without the sandbox where that
 * is harmless, since an attempt that cannot succeed would prove nothing.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type AttemptGroup, ATTEMPT_GROUPS, DONE, writtenLine } from './support/escape-attempts.ts';
import {
  type CommandOutput,
  SANDBOX_FILES,
  openWorld,
  runIn,
  secretOf,
  type SandboxWorld,
} from './support/sandbox-world.ts';

let world: SandboxWorld;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());
beforeEach(() => world.reset());

const contentOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

const quoted = (command: string): string => `'${command.replaceAll("'", String.raw`'\''`)}'`;

/** The line between the output of two attempts. */
const END = '-- the next --';

/** Returns a script that prints a line if a file was written, and restores the content of the file. */
const lookAndRestore = (file: string): string => {
  const path = join(world.base, file);
  const says = `grep -qs ${DONE} ${path} && echo '${writtenLine(file)}'`;
  return `${says}; rm -rf ${path}; printf %s '${secretOf(file)}' >${path}`;
};

/**
 * Returns a script that makes each attempt in a shell of its own; where nothing protects the files, on restored files.
 */
const scriptOf = ({ attempts, written }: AttemptGroup, kind: 'sandboxed' | 'bare'): string => {
  const [only] = attempts;
  if (only !== undefined && attempts.length === 1) return only.command(world);
  const after = kind === 'bare' && written !== undefined ? lookAndRestore(written) : ':';
  return attempts
    .map(({ command }) => `bash -c ${quoted(command(world))} 2>&1; ${after}; echo; echo '${END}'`)
    .join('\n');
};

/** Whether an attempt got out, which its output or the state of the files shows, and how the command ended. */
interface Outcome {
  readonly name: string;
  readonly gotOut: boolean;
  readonly said: string | undefined;
  readonly end: Omit<CommandOutput, 'text'>;
}

const outcomesOf = async (kind: 'sandboxed' | 'bare', group: AttemptGroup): Promise<Outcome[]> => {
  const { attempts } = group;
  const { text, ...end } = await runIn(world[kind], world, scriptOf(group, kind));
  const said = attempts.length === 1 ? [text] : text.split(`${END}\n`);
  // Every attempt was made, whatever became of those before.
  expect(said.length).toBeGreaterThanOrEqual(attempts.length);
  const changed = SANDBOX_FILES.filter((file) => contentOf(join(world.base, file)).includes(DONE)).map(
    writtenLine,
  );
  const trace = (index: number): string => [said[index], ...changed].join('\n');
  return attempts.map(({ name, shows }, index) => ({
    name,
    gotOut: trace(index).includes(shows),
    said: said[index],
    end,
  }));
};

const attempts = ATTEMPT_GROUPS.flatMap((group) => group.attempts);

it('tries at least 200 ways, each of them once', () => {
  expect(attempts.length).toBeGreaterThanOrEqual(200);
  expect(new Set(attempts.map(({ name }) => name)).size).toBe(attempts.length);
});

describe('in the sandbox no attempt gets out', () => {
  it.each(ATTEMPT_GROUPS)('$name', async (group) => {
    const outcomes = await outcomesOf('sandboxed', group);
    expect(outcomes.filter(({ gotOut }) => gotOut)).toEqual([]);
    expect(world.isVictimRunning()).toBe(true);
  });

  it('and nothing was reached over a network', () => {
    expect(world.connections()).toBe(0);
  });
});

describe('without it each attempt does', () => {
  const harmless = ATTEMPT_GROUPS.filter((group) =>
    group.attempts.every(({ onlyInside }) => onlyInside === undefined),
  );

  it.each(harmless)('$name', async (group) => {
    const outcomes = await outcomesOf('bare', group);
    expect(outcomes.filter(({ gotOut }) => !gotOut)).toEqual([]);
  });
});
