import type { Command as Program } from 'commander';
import type { Command } from './command.ts';
import type { ProgramOptions } from './program-options.ts';
import { parseId, parsePeak, parseProjects, parseTurnsPerDay } from './values.ts';

/** Adds `orion up`, `orion down` and `orion status`, the commands for the stacks on this machine. */
export const addStackCommands = (program: Program, choose: (command: Command) => void): void => {
  program
    .command('up')
    .argument('[folder]', 'folder that tools work in; default: the current one')
    .description('start Orion in the background for a folder')
    .action((folder?: string) => choose({ name: 'up', folder }));
  program
    .command('down')
    .argument('[folder]', 'folder of up; default: the current one, or the nearest above it that has a stack')
    .description('stop what up has started for a folder')
    .action((folder?: string) => choose({ name: 'down', folder }));
  program
    .command('status')
    .description('what runs here: address, folder, model, processes, Web UI')
    .action(() => choose({ name: 'status' }));
};

/** Number of turns in the busiest minute, as a multiple of the mean. Most turns of a day come in a few of its hours. */
const DEFAULT_PEAK = 10;

/**
 * Adds `orion capacity`, which estimates the processes, Temporal actions and disk that a number of turns a day needs.
 */
export const addCapacityCommand = (program: Program, choose: (command: Command) => void): void => {
  program
    .command('capacity')
    .description('what a number of turns needs: gateways, workers, actions of Temporal, disk')
    .requiredOption('--turns-per-day <n>', 'turns that people begin in a day', parseTurnsPerDay)
    .option('--peak <factor>', 'how many times the mean the busiest minute brings', parsePeak, DEFAULT_PEAK)
    .action((options: { readonly turnsPerDay: number; readonly peak: number }) =>
      choose({
        name: 'capacity',
        turnsPerDay: options.turnsPerDay,
        peak: options.peak,
        printsJson: program.opts<ProgramOptions>().json === true,
      }),
    );
};

interface NewKeyOptions {
  readonly projects: readonly string[];
  readonly name?: string;
  readonly addTo?: string;
}

/** Adds `orion keys …`, the commands for the API keys of a gateway. */
export const addKeyCommands = (program: Program, choose: (command: Command) => void): void => {
  const keys = program.command('keys').description('API keys of a gateway');
  keys
    .command('new')
    .description('draw a key and print it, once, with the entry for ORION_API_KEYS_FILE')
    .requiredOption(
      '--projects <ids>',
      'projects that the key opens, separated by commas; * for all',
      parseProjects,
    )
    .option('--name <name>', 'name of the key in logs and limits', parseId)
    .option('--add-to <file>', 'add the entry to this file, which running gateways read again')
    .action(({ projects: ids, name, addTo }: NewKeyOptions) =>
      choose({
        name: 'keys new',
        keyName: name,
        projects: ids,
        addTo,
        printsJson: program.opts<ProgramOptions>().json === true,
      }),
    );
};
