import { Command as Program, Option } from 'commander';
import { packageVersion } from '../../config/package-version.ts';
import { modeSchema, type Mode } from '../../contracts/tool-call.ts';
import type { ProtocolName } from '../../contracts/turn-input.ts';
import { OUTPUT_FORMATS, type OutputFormat } from '../turn/show-turn.ts';
import type { Command, TurnFlags } from './command.ts';
import { cycles, gatewayUrl, id, projects, protocol } from './values.ts';
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
  readonly conversation?: string;
  readonly continue?: true;
  readonly url?: string;
  readonly json?: true;
  readonly verbose?: true;
}

/**
 * The command line, with nothing behind it: what was chosen is handed to `choose`. Options stand before or after
 * a subcommand.
 */
export const createProgram = (choose: (command: Command) => void): Program => {
  const program = new Program('orion')
    .description('Chat with Orion. Without a command: a conversation on the terminal.')
    .option('-p, --print [text]', 'answer one prompt (and what is piped in) and leave')
    .addOption(
      new Option('--output-format <format>', 'of the answer to a prompt, and of attach')
        .choices(OUTPUT_FORMATS)
        .default('text'),
    )
    .option('--max-cycles <n>', 'tool executions that a turn may make', cycles, DEFAULT_CYCLES)
    .option('--project <id>', 'project (ORION_PROJECT)', id)
    .addOption(
      new Option('--mode <mode>', 'plan: look only; act: change files')
        .choices(modeSchema.options)
        .default('act'),
    )
    .option('--protocol <name>', 'two_stage or standard', protocol)
    .option('--conversation <id>', 'go on with this conversation', id)
    .option('-c, --continue', 'go on with the newest conversation')
    .option('--url <url>', 'of the gateway (ORION_URL)', gatewayUrl)
    .option('--json', 'results as JSON')
    .option('-v, --verbose', 'say more on stderr')
    .version(packageVersion())
    .helpCommand(false)
    .showHelpAfterError('(orion --help shows what there is)')
    .action((options: ProgramOptions) => choose(rootCommand(options)));
  addTurnCommands(program, choose);
  addWriteCommands(program, choose);
  program
    .command('config')
    .description('the configuration in effect, secrets masked')
    .action(() => choose({ name: 'config' }));
  addKeyCommands(program, choose);
  return program;
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
  maxCycles: options.maxCycles,
  conversation: options.conversation,
  continue: options.continue === true,
});

const formatOf = ({ json, outputFormat }: ProgramOptions): OutputFormat =>
  json === true && outputFormat === 'text' ? 'json' : outputFormat;

const rootCommand = (options: ProgramOptions): Command => {
  const turn = turnFlags(options);
  const format = formatOf(options);
  if (options.print === undefined) return { name: 'chat', turn, format };
  const text = options.print === true ? undefined : options.print;
  return { name: 'prompt', text, turn, format };
};

const addTurnCommands = (program: Program, choose: (command: Command) => void): void => {
  program
    .command('attach')
    .argument('<turnId>', 'id of the turn', id)
    .description('show a turn from its beginning to its end')
    .action((turnId: string) => choose({ name: 'attach', turnId, format: formatOf(program.opts()) }));
  program
    .command('cancel')
    .argument('<turnId>', 'id of the turn', id)
    .description('stop a turn')
    .action((turnId: string) => choose({ name: 'cancel', turnId }));
  program
    .command('sessions')
    .description('conversations and write sessions of the project')
    .action(() => choose({ name: 'sessions' }));
  program
    .command('trace')
    .argument('<turnId>', 'id of the turn', id)
    .description('what happened in a turn, step by step')
    .action((turnId: string) => choose({ name: 'trace', turnId }));
};
