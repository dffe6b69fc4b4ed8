import type { Command as Program } from 'commander';
import type { Command } from './command.ts';

/** The commands for Orion on this machine, a stack for each folder. */
export const addStackCommands = (program: Program, choose: (command: Command) => void): void => {
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
