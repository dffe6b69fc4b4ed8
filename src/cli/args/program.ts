import { Command as Program, Option } from 'commander';
import { packageVersion } from '../../base/package-version.ts';
import { OUTPUT_FORMATS } from '../turn/show-turn.ts';
import type { Command } from './command.ts';
import { addCapacityCommand, addKeyCommands, addStackCommands } from './add-local-commands.ts';
import { commandHint } from './mistyped-command.ts';
import { addTurnOptions, outputFormatOf, turnFlagsOf, type ProgramOptions } from './program-options.ts';
import { addInputRequestCommands, addSessionAndCostCommands, addTurnCommands } from './add-turn-commands.ts';
import { parseGatewayUrl, parseId } from './values.ts';
import { addWriteCommands } from './add-write-commands.ts';

/**
 * Creates the command line without its effects: the chosen command is passed to `choose`. Options may come before or
 * after a subcommand. `literalWords` are the words after `--`, which are never taken for a command.
 */
export const createProgram = (
  choose: (command: Command) => void,
  literalWords: readonly string[] = [],
): Program => {
  const program = new Program('orion')
    .description('Chat with Orion. Without a command: a conversation on the terminal.')
    .option('-p, --print [text]', 'answer one prompt (and what is piped in) and leave')
    .addOption(
      new Option('--output-format <format>', 'format of the answer to a prompt, and of attach')
        .choices(OUTPUT_FORMATS)
        .default('text'),
    )
    .option('--project <id>', 'project (ORION_PROJECT)', parseId)
    .option('--url <url>', 'address of the gateway (ORION_URL)', parseGatewayUrl)
    .option('--json', 'print results as JSON')
    .option('--stream', 'print into a pipe at once; by default only what no reset can withdraw')
    .option('-v, --verbose', 'say more on stderr: tool arguments and results')
    .version(packageVersion())
    .helpCommand('help [command]', 'what a command does')
    .argument('[prompt...]', 'message that is sent first')
    .showHelpAfterError('(orion --help shows what there is)')
    .action((words: readonly string[], options: ProgramOptions) =>
      choose(rootCommand({ words, literalWords }, options, program)),
    );
  addTurnOptions(program);
  addCommands(program, choose);
  return program;
};

const addCommands = (program: Program, choose: (command: Command) => void): void => {
  addStackCommands(program, choose);
  addTurnCommands(program, choose);
  addSessionAndCostCommands(program, choose);
  addInputRequestCommands(program, choose);
  addWriteCommands(program, choose);
  program
    .command('config')
    .description('settings that the gateway runs with, else those of this shell; secrets masked')
    .action(() => choose({ name: 'config' }));
  program
    .command('temporal')
    .argument('[args...]')
    .description('the Temporal CLI, connected as Orion is: `orion temporal workflow list`');
  addKeyCommands(program, choose);
  addCapacityCommand(program, choose);
};

/** The words of a message: `words` stand before a `--`, and `literalWords` after it. */
interface MessageWords {
  readonly words: readonly string[];
  readonly literalWords: readonly string[];
}

const rootCommand = (
  { words, literalWords }: MessageWords,
  options: ProgramOptions,
  program: Program,
): Command => {
  const turnFlags = turnFlagsOf(options);
  const format = outputFormatOf(options);
  const typedText = [...words, ...literalWords].join(' ') || undefined;
  if (options.print === undefined) {
    if (literalWords.length === 0) refuseMistypedCommand(words, program);
    return { name: 'chat', firstMessage: typedText, turnFlags, format };
  }
  const text = [options.print === true ? undefined : options.print, typedText].filter(Boolean).join(' ');
  return { name: 'prompt', text: text === '' ? undefined : text, turnFlags, format };
};

/**
 * Refuses words that look like a command. Sent to the model, they would begin a turn, which costs money and may change
 * files. Throws CommanderError.
 */
const refuseMistypedCommand = (words: readonly string[], program: Program): void => {
  const names = program.commands.map((command) => command.name());
  const hint = commandHint(words, names);
  if (hint === undefined) return;
  program.error(
    `error: there is no command '${words[0]}'\n(${hint} As a message to the model: orion -- ${words.join(' ')})`,
  );
};
