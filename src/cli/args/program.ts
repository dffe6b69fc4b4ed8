import { Command as Program, Option } from 'commander';
import { packageVersion } from '../../base/package-version.ts';
import { modeSchema, type Mode } from '../../contracts/tool-call.ts';
import type { ProtocolName } from '../../contracts/turn.ts';
import { OUTPUT_FORMATS, type OutputFormat } from '../turn/show-turn.ts';
import type { Command, TurnFlags } from './command.ts';
import { cycles, gatewayUrl, id, projects, protocol, PROTOCOLS } from './values.ts';
import { hintForPrompt } from './mistyped-command.ts';
import { addWriteCommands } from './write-program.ts';

const DEFAULT_CYCLES = 25;

/** Options of the program as commander stores them. */
export interface ProgramOptions {
  readonly print?: string | true;
  readonly outputFormat: OutputFormat;
  readonly maxCycles: number;
  readonly project?: string;
  readonly mode: Mode;
  readonly protocol?: ProtocolName;
  readonly model?: string;
  readonly conversation?: string;
  readonly continue?: true;
  readonly resume?: string | true;
  readonly url?: string;
  readonly json?: true;
  readonly verbose?: true;
  readonly stream?: true;
}

/**
 * The command line, with nothing behind it: what was chosen is handed to `choose`. Options stand before or after
 * a subcommand. `message`: words behind `--`, which are no command.
 */
export const createProgram = (
  choose: (command: Command) => void,
  message: readonly string[] = [],
): Program => {
  const program = new Program('orion')
    .description('Chat with Orion. Without a command: a conversation on the terminal.')
    .option('-p, --print [text]', 'answer one prompt (and what is piped in) and leave')
    .addOption(
      new Option('--output-format <format>', 'of the answer to a prompt, and of attach')
        .choices(OUTPUT_FORMATS)
        .default('text'),
    )
    .option('--project <id>', 'project (ORION_PROJECT)', id)
    .option('--url <url>', 'of the gateway (ORION_URL)', gatewayUrl)
    .option('--json', 'results as JSON')
    .option('--stream', 'print into a pipe at once; by default only what no reset can withdraw')
    .option('-v, --verbose', 'say more on stderr: tool arguments and results')
    .version(packageVersion())
    .helpCommand('help [command]', 'what a command does')
    .argument('[prompt...]', 'asked first')
    .showHelpAfterError('(orion --help shows what there is)')
    .action((words: readonly string[], options: ProgramOptions) =>
      choose(rootCommand({ words, message }, options, program)),
    );
  addTurnOptions(program);
  addCommands(program, choose);
  return program;
};

/** How turns are started, and in which conversation. */
const addTurnOptions = (program: Program): void => {
  program
    .addOption(
      new Option('--mode <mode>', 'plan: look only; act: change files')
        .choices(modeSchema.options)
        .default('act'),
    )
    .option('-m, --model <name>', 'one of those that the gateway offers (ORION_MODELS)')
    .option('--max-cycles <n>', 'tool executions that a turn may make', cycles, DEFAULT_CYCLES)
    .option('--protocol <name>', PROTOCOLS, protocol)
    .option('--conversation <id>', 'go on with this conversation', id)
    .option('-c, --continue', 'go on with the newest conversation')
    .option('--resume [id]', 'go on with this one (its id or the beginning), or choose it from a list', id);
};

const addCommands = (program: Program, choose: (command: Command) => void): void => {
  addStackCommands(program, choose);
  addTurnCommands(program, choose);
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
};

interface NewKeyOptions {
  readonly projects: readonly string[];
  readonly name?: string;
}

const addKeyCommands = (program: Program, choose: (command: Command) => void): void => {
  const keys = program.command('keys').description('API keys of a gateway');
  keys
    .command('new')
    .description('draw a key and print it, once, with the entry for ORION_API_KEYS_FILE')
    .requiredOption('--projects <ids>', 'that the key opens, separated by commas; * for all', projects)
    .option('--name <name>', 'of the key in logs and limits', id)
    .action(({ projects: ids, name }: NewKeyOptions) =>
      choose({
        name: 'keys new',
        keyName: name,
        projects: ids,
        json: program.opts<ProgramOptions>().json === true,
      }),
    );
};

const turnFlags = (options: ProgramOptions): TurnFlags => ({
  mode: options.mode,
  protocol: options.protocol,
  model: options.model,
  maxCycles: options.maxCycles,
  conversation: options.conversation,
  continue: options.continue === true,
  resume: options.resume ?? false,
});

const formatOf = ({ json, outputFormat }: ProgramOptions): OutputFormat =>
  json === true && outputFormat === 'text' ? 'json' : outputFormat;

/** Words behind the options, and those behind `--`. */
interface Given {
  readonly words: readonly string[];
  readonly message: readonly string[];
}

const rootCommand = ({ words, message }: Given, options: ProgramOptions, program: Program): Command => {
  const turn = turnFlags(options);
  const format = formatOf(options);
  const given = [...words, ...message].join(' ') || undefined;
  if (options.print === undefined) {
    if (message.length === 0) refuseMistypedCommand(words, program);
    return { name: 'chat', first: given, turn, format };
  }
  const text = [options.print === true ? undefined : options.print, given].filter(Boolean).join(' ');
  return { name: 'prompt', text: text === '' ? undefined : text, turn, format };
};

/** What looks like a command is none for the model: a turn that may change files would be begun, and paid for. */
const refuseMistypedCommand = (words: readonly string[], program: Program): void => {
  const names = program.commands.map((command) => command.name());
  const hint = hintForPrompt(words, names);
  if (hint === undefined) return;
  program.error(
    `error: there is no command '${words[0]}'\n(${hint} As a message to the model: orion -- ${words.join(' ')})`,
  );
};

const TURN_ID = 'id of the turn or its beginning; default: the newest of the project';

const addTurnCommands = (program: Program, choose: (command: Command) => void): void => {
  program
    .command('attach')
    .argument('[turnId]', TURN_ID, id)
    .description('show a turn from its beginning to its end; Ctrl-C leaves it running')
    .option('--own', 'Ctrl-C cancels the turn, as in the terminal that asked')
    .action((turnId: string | undefined, { own }: { readonly own?: true }) =>
      choose({
        name: 'attach',
        turnId,
        format: formatOf(program.opts()),
        ownership: own === true ? 'own' : 'watch',
      }),
    );
  program
    .command('cancel')
    .argument('[turnId]', TURN_ID, id)
    .description('stop a turn')
    .action((turnId?: string) => choose({ name: 'cancel', turnId }));
  program
    .command('sessions')
    .description('conversations and write sessions of the project')
    .action(() => choose({ name: 'sessions' }));
  program
    .command('trace')
    .argument('[turnId]', TURN_ID, id)
    .description('what happened in a turn, step by step')
    .action((turnId?: string) => choose({ name: 'trace', turnId }));
};

/** The commands for Orion on this machine, a stack for each folder. */
const addStackCommands = (program: Program, choose: (command: Command) => void): void => {
  program
    .command('up')
    .argument('[folder]', 'that tools work in; default: the current one')
    .description('start Orion in the background for a folder')
    .action((folder?: string) => choose({ name: 'up', folder }));
  program
    .command('down')
    .argument('[folder]', 'as of up; default: the current one, or the nearest above it that has one')
    .description('stop it')
    .action((folder?: string) => choose({ name: 'down', folder }));
  program
    .command('status')
    .description('what runs here: address, folder, model, processes, Web UI')
    .action(() => choose({ name: 'status' }));
};
