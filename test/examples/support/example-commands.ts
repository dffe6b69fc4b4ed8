import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type CommandBlock, commandBlocks } from '../../docs/page-commands.ts';
import { ROOT } from '../../support/root.ts';

/**
 * Returns the sections of examples/README.md, one for each example, with the commands that a reader is told to type.
 */
export const exampleSections = (): ReadonlyMap<string, readonly CommandBlock[]> => {
  const [, ...sections] = readFileSync(`${ROOT}/examples/README.md`, 'utf8').split(/^## /m);
  return new Map(
    sections.map((section) => {
      const [heading = ''] = section.split('\n');
      return [heading, commandBlocks(section)];
    }),
  );
};

/** Returns the commands of one section. Throws when there is no such heading. */
export const commandsUnder = (heading: string): readonly CommandBlock[] => {
  const blocks = exampleSections().get(heading);
  if (blocks === undefined) throw new Error(`examples/README.md has no section ${JSON.stringify(heading)}`);
  return blocks;
};

/** Returns the settings before `npm start` in a command, with which a test starts its stack. */
export const settingsIn = (script: string): Readonly<Record<string, string>> => {
  const [, assignments = ''] = /^((?:\w+=\S+ )+)npm start$/m.exec(script) ?? [];
  if (assignments === '') {
    throw new Error(`expected NAME=value … npm start, received ${JSON.stringify(script)}`);
  }
  return Object.fromEntries(
    assignments
      .trim()
      .split(' ')
      .map((assignment) => assignment.split(/=(.*)/s).slice(0, 2)),
  ) as Record<string, string>;
};

export interface CommandRun {
  readonly env: Readonly<Record<string, string>>;
  /** Called with all output so far whenever there is more. */
  readonly onOutput?: (output: string) => void;
  /** The folder in which the command is typed; the repository by default. */
  readonly cwd?: string;
}

/** Types a command in a shell, as its reader would, and waits for its end. */
export const typeCommand = async (
  script: string,
  { env, onOutput = () => undefined, cwd = ROOT }: CommandRun,
): Promise<{ readonly code: number | null; readonly output: string }> => {
  const child = spawn('bash', ['-c', `exec 2>&1; ${script}`], {
    cwd,
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    onOutput(output);
  });
  const [code] = await closed;
  return { code, output };
};
