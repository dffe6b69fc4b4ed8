import type { Command as Program } from 'commander';
import type { ReplyName } from '../../contracts/wire/input-events.ts';
import type { Command } from './command.ts';
import { outputFormatOf, turnFlagsOf, type ProgramOptions } from './program-options.ts';
import { parseDays, parseId, parseInputId, REPLY_NAMES, parseReplyName } from './values.ts';

const TURN_ID = 'id of the turn or its beginning; default: the newest of the project';

const DEFAULT_DAYS = 30;

/** Adds the commands about turns that run or have run: `attach`, `cancel`, `undo`, `retry` and `trace`. */
export const addTurnCommands = (program: Program, choose: (command: Command) => void): void => {
  program
    .command('attach')
    .argument('[turnId]', TURN_ID, parseId)
    .description('show a turn from its beginning to its end; Ctrl-C leaves it running')
    .option('--own', 'Ctrl-C cancels the turn, as in the terminal that asked')
    .action((turnId: string | undefined, { own }: { readonly own?: true }) =>
      choose({
        name: 'attach',
        turnId,
        format: outputFormatOf(program.opts()),
        ownership: own === true ? 'own' : 'watch',
      }),
    );
  program
    .command('cancel')
    .argument('[turnId]', TURN_ID, parseId)
    .description('stop a turn')
    .action((turnId?: string) => choose({ name: 'cancel', turnId }));
  program
    .command('undo')
    .argument('<turnId>', 'id of the turn or its beginning', parseId)
    .description('give the files that a turn changed back what they held before')
    .action((turnId: string) => choose({ name: 'undo', turnId }));
  program
    .command('retry')
    .argument('[turnId]', TURN_ID, parseId)
    .description('have the message of a turn answered anew, from where it was sent')
    .action((turnId?: string) => {
      const options = program.opts<ProgramOptions>();
      choose({ name: 'retry', turnId, turnFlags: turnFlagsOf(options), format: outputFormatOf(options) });
    });
  program
    .command('trace')
    .argument('[turnId]', TURN_ID, parseId)
    .description('what happened in a turn, step by step')
    .action((turnId?: string) => choose({ name: 'trace', turnId }));
};

/** Adds the commands about conversations and costs: `sessions`, `sessions delete` and `cost`. */
export const addSessionAndCostCommands = (program: Program, choose: (command: Command) => void): void => {
  program
    .command('sessions')
    .description('conversations and write sessions of the project')
    .action(() => choose({ name: 'sessions' }))
    .command('delete')
    .argument('<conversationId>', 'as `orion sessions` shows it, in full', parseId)
    .option('--yes', 'without being asked first')
    .description('remove a conversation with all that was said and done in it; files stay')
    .action((conversationId: string, { yes }: { readonly yes?: true }) =>
      choose({ name: 'sessions delete', conversationId, isSure: yes === true }),
    );
  program
    .command('cost')
    .description('what API keys have spent, by day (UTC)')
    .option('--days <n>', 'how many days, today among them', parseDays, DEFAULT_DAYS)
    .action(({ days }: { readonly days: number }) => choose({ name: 'cost', days }));
};

interface SteerOptions {
  readonly now?: true;
  readonly queue?: true;
  readonly id?: string;
}

interface ReplyOptions {
  readonly note?: string;
  readonly content?: string;
  readonly failed?: true;
  readonly arguments?: string;
}

/** Adds the commands with which people speak to running turns: `steer`, `waiting` and `reply`. */
export const addInputRequestCommands = (program: Program, choose: (command: Command) => void): void => {
  program
    .command('steer')
    .argument('<turnId>', 'id of the turn or its beginning', parseId)
    .argument('<message...>', 'what the model reads before it is called again')
    .option('--now', 'end a running model call for it')
    .option('--queue', 'where the turn has ended: begin the next one with it')
    .option('--id <id>', 'id of the message: sent again with it, it is one message', parseId)
    .description('speak into a running turn')
    .action((turnId: string, words: readonly string[], { now, queue, id }: SteerOptions) =>
      choose({
        name: 'steer',
        turnId,
        content: words.join(' '),
        when: now === true ? 'now' : 'boundary',
        mayQueue: queue === true,
        messageId: id,
      }),
    );
  program
    .command('waiting')
    .argument('[inputId]', 'a request, with its whole diff; default: all of the project', parseInputId)
    .description('what turns wait for')
    .action((inputId?: string) => choose({ name: 'waiting', inputId }));
  program
    .command('reply')
    .argument('<inputId>', 'as `orion waiting` shows it', parseInputId)
    .argument('<reply>', REPLY_NAMES, parseReplyName)
    .option('--note <text>', 'for the model, with deny')
    .option('--content <text>', 'what answer says, or the result of a call')
    .option('--failed', 'with result: the call did not work')
    .option('--arguments <file>', 'JSON object that edit has run instead')
    .description('answer a request; the first reply counts')
    .action((inputId: string, reply: ReplyName, { note, content, failed, arguments: file }: ReplyOptions) =>
      choose({ name: 'reply', inputId, reply, note, content, ok: failed !== true, argumentsFile: file }),
    );
};
