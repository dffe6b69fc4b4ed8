import type { ServiceConfig } from '../src/config/config.ts';
import type { Log } from '../src/base/log.ts';
import type { Workspace } from '../src/files/workspace/workspace.ts';
import { openCommandHost } from '../src/tools/command/open-command-host.ts';
import { createRunCommandTool } from '../src/tools/command/run-command.ts';
import { findRipgrep } from '../src/tools/search/ripgrep.ts';
import type { Tool } from '../src/tools/tool.ts';

/** The parts of which a worker makes the tool that runs commands. */
export interface ComposeCommandsDeps {
  readonly config: Pick<ServiceConfig, 'commands' | 'dataDir' | 'workspace'>;
  readonly env: NodeJS.ProcessEnv;
  readonly workspace: Workspace;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

const UNSANDBOXED =
  'commands run without a sandbox (ORION_COMMAND_SANDBOX=off): each can do what the account of this process can';

const COUNTED =
  'the number of processes of a command is only counted: this worker is root, and may make no control group. Run it under an account of its own';

/**
 * Returns a list with the tool that runs commands. The list is empty if commands are switched off, or if there is no
 * sandbox for them. Logs a warning if there is no sandbox, if commands run without one, or if their processes are only
 * counted.
 */
export const composeCommands = async ({
  config: { commands, dataDir, workspace: folder },
  env,
  workspace,
  log,
}: ComposeCommandsDeps): Promise<readonly Tool[]> => {
  const { offered, sandbox, handedOn } = commands;
  if (offered === 'off') return [];
  const options = { dataDir, workspace: folder, env, handedOn, findRipgrep };
  const opened = await openCommandHost(sandbox, options);
  if (!opened.ok) {
    log.warn({ reason: opened.reason }, NOT_OFFERED);
    return [];
  }
  const { host } = opened;
  if (!host.isSandboxed) log.warn({ approvals: offered }, UNSANDBOXED);
  if (!host.boundsProcesses) log.warn({ processes: 'counted' }, COUNTED);
  return [createRunCommandTool(workspace, { host, approvals: offered })];
};

const NOT_OFFERED =
  'commands are not offered to the model: there is no sandbox for them. ORION_COMMAND_SANDBOX=off runs them without one, for machines that are a sandbox themselves';
