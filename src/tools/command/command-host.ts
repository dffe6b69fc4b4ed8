import type { CommandWatch } from './command-launch.ts';
import type { CommandEnd } from './command-process.ts';

/** One command for a shell, and the folder that it runs in. */
export interface CommandRequest {
  readonly command: string;
  /** Absolute real path of the project's folder. */
  readonly folder: string;
  /** Absolute real path of the folder in which the command begins, which is in `folder`. */
  readonly cwd: string;
  readonly timeoutMs: number;
}

/** Runs commands on this machine, within limits. In a sandbox nothing of a command stays running after its end. */
export interface CommandHost {
  /** True when commands run in a sandbox. Otherwise a command can do what the account of the worker can. */
  readonly isSandboxed: boolean;
  /**
   * True when the kernel bounds the number of a command's processes. Otherwise they are only counted from time to time,
   * and a fork bomb may be faster than that.
   */
  readonly boundsProcesses: boolean;
  /**
   * Runs a command. Rejects as `runCommandProcess` does. Before the command is started, it also rejects with
   * WorkspaceError where protected files cannot be closed, with the signal's reason, or with an error of the file
   * system.
   */
  run(request: CommandRequest, watch: CommandWatch): Promise<CommandEnd>;
}

export interface CommandHostOptions {
  readonly dataDir: string;
  /** The folder of all projects. */
  readonly workspace: string;
  /** Environment of the worker. */
  readonly env: NodeJS.ProcessEnv;
  /** Names of variables that commands get beside the usual ones. */
  readonly handedOn: readonly string[];
  /** Finds the ripgrep binary. */
  readonly findRipgrep: () => Promise<string>;
  /** Largest number of processes and threads of one command. Absent means 1,000. */
  readonly maxProcesses?: number;
}
