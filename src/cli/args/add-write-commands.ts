import { Option, type Command as Program } from 'commander';
import { writeOperationSchema, type WriteOperation } from '../../contracts/write-session/write-session.ts';
import type { Command, ContentSource } from './command.ts';
import { parseSessionId } from './values.ts';

interface BeginOptions {
  readonly target: string;
  readonly operation: WriteOperation;
  readonly intent?: string;
}

interface FinalizeOptions {
  readonly file?: string;
  readonly draft?: true;
  readonly force?: true;
}

/** Adds `orion write …`, the commands for a write session by hand (docs/write-sessions.md). */
export const addWriteCommands = (program: Program, choose: (command: Command) => void): void => {
  const write = program.command('write').description('write a long file into the workspace');
  write
    .command('begin')
    .description('begin a write session and print its id')
    .requiredOption('--target <path>', 'file in the workspace')
    .addOption(
      new Option('--operation <operation>', 'what is done to the file')
        .choices(writeOperationSchema.options)
        .makeOptionMandatory(),
    )
    .option('--intent <text>', 'what it is for')
    .action(({ target, operation, intent }: BeginOptions) =>
      choose({ name: 'write begin', target, operation, intent }),
    );
  write
    .command('finalize')
    .argument('<sessionId>', 'id of the session', parseSessionId)
    .description('write the content: a file, stdin, or the draft that is stored')
    .option('--file <path>', 'content (- for stdin)')
    .addOption(new Option('--draft', 'what was sent as drafts or by the turn').conflicts('file'))
    .option('--force', 'with --draft: also over a longer file')
    .action((id: string, options: FinalizeOptions) =>
      choose({ name: 'write finalize', sessionId: id, source: sourceOf(options) }),
    );
  addSessionCommands(write, choose);
};

const sourceOf = ({ file, draft, force }: FinalizeOptions): ContentSource => {
  if (draft === true) return { kind: 'draft', isForced: force === true };
  return file === undefined || file === '-' ? { kind: 'stdin' } : { kind: 'file', path: file };
};

const addSessionCommands = (write: Program, choose: (command: Command) => void): void => {
  const about = {
    status: 'where a session stands',
    cancel: 'end a session without writing',
    undo: 'put back what the file held before',
  } as const;
  for (const verb of ['status', 'cancel', 'undo'] as const) {
    write
      .command(verb)
      .argument('<sessionId>', 'id of the session', parseSessionId)
      .description(about[verb])
      .action((id: string) => choose({ name: `write ${verb}`, sessionId: id }));
  }
  write
    .command('recover')
    .argument('[sessionId]', 'one session only', parseSessionId)
    .description('go on with writes that were interrupted')
    .action((id?: string) => choose({ name: 'write recover', sessionId: id }));
};
