import type { Command } from '../args/command.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import type { ExitCode } from '../process/exit-codes.ts';
import { runDown } from './down-command.ts';
import { runReply, runWaiting } from './input-request-commands.ts';
import { runCost } from './cost-command.ts';
import { runSteer } from './steer-command.ts';
import { runSessions, runSessionsDelete } from './sessions-command.ts';
import { runStatus } from './status-command.ts';
import { runTrace } from './trace-command.ts';
import { runAttach, runCancel, runPrompt, runRetry } from './turn-commands.ts';
import { runUndo } from './undo-command.ts';
import { runWriteBegin, runWriteCancel, runWriteStatus, runWriteUndo } from './write-commands.ts';
import { runWriteFinalize } from './write-finalize.ts';
import { runWriteRecover } from './write-recover.ts';

/** The commands that talk to a gateway, and `down`, which stops one. */
type GatewayCommand = Exclude<
  Command,
  { name: 'capacity' | 'completion' | 'config' | 'keys new' | 'temporal' | 'up' }
>;

/** Runs a command against the gateway of `context`. Throws as `GatewayClient` does. */
export const runGatewayCommand = (context: CliContext, command: GatewayCommand): Promise<ExitCode> => {
  switch (command.name) {
    case 'chat':
      return runPrompt(context, { ...command, text: command.firstMessage });
    case 'prompt':
      return runPrompt(context, command);
    case 'retry':
      return runRetry(context, command);
    case 'attach':
      return runAttach(context, command);
    case 'cancel':
      return runCancel(context, command);
    case 'undo':
      return runUndo(context, command);
    case 'waiting':
      return runWaiting(context, command);
    case 'steer':
      return runSteer(context, command);
    case 'reply':
      return runReply(context, command);
    case 'cost':
      return runCost(context, command);
    case 'sessions':
      return runSessions(context);
    case 'sessions delete':
      return runSessionsDelete(context, command);
    case 'down':
      return runDown(context, command.folder);
    case 'status':
      return runStatus(context);
    case 'trace':
      return runTrace(context, command);
    default:
      return runWriteCommand(context, command);
  }
};

type WriteCommand = Extract<GatewayCommand, { name: `write ${string}` }>;

const runWriteCommand = (context: CliContext, command: WriteCommand): Promise<ExitCode> => {
  switch (command.name) {
    case 'write begin':
      return runWriteBegin(context, command);
    case 'write finalize':
      return runWriteFinalize(context, command);
    case 'write status':
      return runWriteStatus(context, command);
    case 'write cancel':
      return runWriteCancel(context, command);
    case 'write undo':
      return runWriteUndo(context, command);
    case 'write recover':
      return runWriteRecover(context, command);
    default:
      return command satisfies never;
  }
};
