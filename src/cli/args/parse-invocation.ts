import { CommanderError, type Command as Program } from 'commander';
import type { GlobalFlags } from '../command-context/cli-context.ts';
import type { Command, Invocation } from './command.ts';
import type { ProgramOptions } from './program-options.ts';
import { commandHint } from './mistyped-command.ts';
import { createProgram } from './program.ts';

const NO_FLAGS: GlobalFlags = { printsJson: false, isVerbose: false, streamsToPipe: false };

const COMPLETION: Invocation = { kind: 'command', command: { name: 'completion' }, flags: NO_FLAGS };

/** Reads the arguments after `orion`. Never prints and never ends the process. */
export const parseInvocation = (argv: readonly string[]): Invocation => {
  // A shell runs `orion completion` for its script, and `orion complete` at every Tab. A half-typed command line
  // follows the latter, not options of this command.
  if (argv[0] === 'complete' || argv[0] === 'completion') return COMPLETION;
  // All that follows is for Temporal, including options that Orion also has.
  if (argv[0] === 'temporal') return temporalInvocation(argv.slice(1));
  let chosenCommand: Command | undefined;
  const output = { stdout: '', stderr: '' };
  const { args, literalWords } = splitAtDashes(argv);
  const program = createProgram((command) => {
    chosenCommand = command;
  }, literalWords);
  program
    .command('completion')
    .argument('<shell>', 'bash, zsh, fish or powershell')
    .description('script that completes orion commands on Tab');
  forEachCommand(program, (each) => {
    each.exitOverride().configureOutput({
      writeOut: (text) => void (output.stdout += text),
      writeErr: (text) => void (output.stderr += plainErrorText(text)),
    });
  });
  try {
    refuseUnknownTopic(program, args);
    program.parse(args, { from: 'user' });
  } catch (error) {
    return invocationOfError(error, output);
  }
  if (chosenCommand) return { kind: 'command', command: chosenCommand, flags: globalFlagsOf(program.opts()) };
  return { kind: 'text', to: 'stderr', text: program.helpInformation(), exitCode: 2 };
};

/**
 * Refuses `help <topic>` if the topic is no command. Commander would print its whole help without a word about the
 * topic. Throws CommanderError.
 */
const refuseUnknownTopic = (program: Program, [first, topic]: readonly string[]): void => {
  const names = program.commands.map((command) => command.name());
  if (first !== 'help' || topic === undefined || topic.startsWith('-')) return;
  if (topic === 'help' || names.includes(topic)) return;
  const hint = commandHint([topic], names);
  program.error(`error: there is no command '${topic}'${hint === undefined ? '' : `\n(${hint})`}`);
};

/**
 * Returns the text of an error of commander without its own words for an argument and without the argument's name in
 * code.
 */
const plainErrorText = (text: string): string =>
  text.replace(
    /^error: command-argument value ('[^]*') is invalid for argument '\w+'\./,
    'error: the argument $1 is invalid.',
  );

/**
 * Splits off the message after `--`, so that `orion -- stop` sends the message `stop`. If the name of a command is
 * among the words before it, `--` is left to commander, for which it ends the options.
 */
const splitAtDashes = (
  argv: readonly string[],
): { args: readonly string[]; literalWords: readonly string[] } => {
  const index = argv.indexOf('--');
  const names = createProgram(() => undefined).commands.map((command) => command.name());
  return index < 0 || argv.slice(0, index).some((word) => names.includes(word))
    ? { args: argv, literalWords: [] }
    : { args: argv.slice(0, index), literalWords: argv.slice(index + 1) };
};

const temporalInvocation = (args: readonly string[]): Invocation => ({
  kind: 'command',
  command: { name: 'temporal', args },
  flags: NO_FLAGS,
});

const globalFlagsOf = ({ url, project, json, verbose, stream }: ProgramOptions): GlobalFlags => ({
  url,
  project,
  printsJson: json === true,
  isVerbose: verbose === true,
  streamsToPipe: stream === true,
});

/** Applies a setting to all commands. Commander passes settings on only to commands that are added afterwards. */
const forEachCommand = (command: Program, run: (command: Program) => void): void => {
  run(command);
  for (const child of command.commands) forEachCommand(child, run);
};

const invocationOfError = (
  error: unknown,
  { stdout, stderr }: { stdout: string; stderr: string },
): Invocation => {
  if (!(error instanceof CommanderError)) throw error;
  return error.exitCode === 0
    ? { kind: 'text', to: 'stdout', text: stdout, exitCode: 0 }
    : { kind: 'text', to: 'stderr', text: stderr, exitCode: 2 };
};
