import { resolve } from 'node:path';
import { findNearestStack, findStack } from '../../background/running-stacks.ts';
import { stopProcess } from '../../background/stack-process.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';

/**
 * Time in milliseconds to wait for the end of the supervisor. It is more than the supervisor gives all of its children
 * together (`STOP_GRACE_MS` of src/stack/children/service.ts for each), unless `WORKER_SHUTDOWN_GRACE_MS` is longer.
 */
const STOP_WITHIN_MS = 60_000;

/**
 * Runs `orion down`: stops the stack of a folder. If none is named, it stops the stack of the current folder or of the
 * nearest one above it. It also succeeds if no stack runs, and fails if the stack has not ended within
 * `STOP_WITHIN_MS`.
 */
export const runDown = async (context: CliContext, folder: string | undefined): Promise<ExitCode> => {
  const { screen, config, cliProcess } = context;
  const requestedFolder = resolve(folder ?? '.');
  const stack =
    folder === undefined
      ? findNearestStack(config.stateDir, requestedFolder)
      : findStack(config.stateDir, requestedFolder);
  if (stack === undefined) {
    screen.report(`No stack runs for ${requestedFolder}.`);
    return EXIT.done;
  }
  const { workspace, logFile } = stack.paths;
  screen.showNotice(`Stopping Orion for ${workspace} …`);
  const { sleep, now } = cliProcess.timers;
  const end = await stopProcess(stack.pid, { sleep, now, stopWithinMs: STOP_WITHIN_MS });
  screen.clearStatus();
  screen.report(
    end === 'ended'
      ? `Orion was stopped for ${workspace}. Its conversations stay; \`orion up\` goes on with them.`
      : `Orion is still stopping for ${workspace} (process ${stack.pid}). Its log: ${logFile}`,
  );
  return end === 'ended' ? EXIT.done : EXIT.failed;
};
