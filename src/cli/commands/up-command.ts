import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNearestStack, findStack, type RunningStack } from '../../background/running-stacks.ts';
import { stackEnvironment } from '../../background/stack-environment.ts';
import {
  requireStackWorkspace,
  stackPathsOf,
  stacksFolder,
  type StackPaths,
} from '../../background/stack-paths.ts';
import { choosePorts } from '../../background/stack-record.ts';
import { startStack, withStartLock, type StackStartOutcome } from '../../background/stack-process.ts';
import type { Environment } from '../../config/settings/load-settings.ts';
import { describeUnknown, isMisleading, unknownSettings } from '../../config/unknown-settings.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { safeForTerminal } from '../../base/text/safe-for-terminal.ts';
import { stackLines, readStackView } from './stack-view.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const SETUP = fileURLToPath(new URL('../../stack/setup.mjs', import.meta.url));
const SUPERVISOR = fileURLToPath(new URL('../../stack/main.ts', import.meta.url));

/** The folder that was named, and the settings that the stack starts with. */
export interface UpRequest {
  /**
   * Folder whose stack is started. Undefined means the current folder, unless a folder above it has a running stack.
   */
  readonly folder: string | undefined;
  readonly env: Environment;
}

/**
 * Runs `orion up`: starts the stack of a folder in the background and waits until it serves. A running stack is left as
 * it is. Ctrl-C stops the start. Throws ConfigError when the folder cannot be a workspace.
 */
export const runUp = async (context: CliContext, { folder, env }: UpRequest): Promise<ExitCode> => {
  const { screen, config, cliProcess } = context;
  const requestedFolder = resolve(folder ?? '.');
  const running =
    folder === undefined
      ? findNearestStack(config.stateDir, requestedFolder)
      : findStack(config.stateDir, requestedFolder);
  if (running === undefined) requireStackWorkspace(config.stateDir, requestedFolder);
  const paths = running?.paths ?? stackPathsOf(config.stateDir, requestedFolder);
  const stopping = new AbortController();
  const unsubscribe = cliProcess.interrupts.subscribe(() => stopping.abort());
  const lockOptions = {
    sleep: cliProcess.timers.sleep,
    signal: stopping.signal,
    onWait: (pid: number) => screen.showNotice(`Process ${pid} starts Orion for ${paths.workspace} …`),
  };
  try {
    makeFolder(paths, config.stateDir);
    const start = () => startUnlessRunning(context, paths, env, stopping.signal);
    return (await withStartLock(paths, lockOptions, start)) ?? EXIT.interrupted;
  } finally {
    unsubscribe();
    screen.clearStatus();
  }
};

/** Starts a stack while this process holds its start lock, unless the stack runs already. */
const startUnlessRunning = async (
  context: CliContext,
  paths: StackPaths,
  env: Environment,
  stopping: AbortSignal,
): Promise<ExitCode> => {
  const { screen, config } = context;
  const running = findStack(config.stateDir, paths.workspace);
  if (running !== undefined) {
    await printStack(context, running);
    screen.report('It runs already: nothing was started.');
    return EXIT.done;
  }
  // Misleading names have been reported before (`runCli`).
  for (const unknown of unknownSettings(env)) {
    if (!isMisleading(unknown)) screen.report(describeUnknown(unknown));
  }
  const started = await setUpAndStart(context, paths, env, stopping);
  const stack = started.kind === 'ready' ? findStack(config.stateDir, paths.workspace) : undefined;
  if (stack === undefined) return reportFailure(context, paths, started);
  await printStack(context, stack);
  printHowToUse(context);
  return EXIT.done;
};

/**
 * Creates the folder of a stack, closed to other accounts. Addresses and logs are private, like the data directory in
 * it.
 */
const makeFolder = ({ folder }: StackPaths, stateDir: string): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const path of [stacksFolder(stateDir), folder]) chmodSync(path, 0o700);
};

const setUpAndStart = async (
  { screen }: CliContext,
  paths: StackPaths,
  env: Environment,
  signal: AbortSignal,
): Promise<StackStartOutcome> => {
  if (!(await setUp())) return { kind: 'failed', how: 'the set-up failed', code: null, log: '' };
  if (signal.aborted) return { kind: 'stopped' };
  screen.showNotice(`Starting Orion for ${paths.workspace} …`);
  const started = await startStack({
    entry: SUPERVISOR,
    root,
    env: stackEnvironment(env, root, paths, await choosePorts(paths)),
    logFile: paths.logFile,
    signal,
  });
  screen.clearStatus();
  return started;
};

/**
 * Installs packages and the Temporal CLI as `npm start` does, and prints only when something is missing. Returns false
 * if the set-up failed.
 */
const setUp = async (): Promise<boolean> => {
  const child = spawn(process.execPath, [SETUP], { stdio: ['ignore', 2, 2] });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0;
};

const printStack = async ({ screen, config, printsJson }: CliContext, stack: RunningStack): Promise<void> => {
  const view = await readStackView(stack, config.apiKey);
  if (printsJson) screen.write(`${safeForTerminal(JSON.stringify(view))}\n`);
  else for (const line of stackLines(view)) screen.writeLine(safeForTerminal(line));
};

const reportFailure = (
  { screen }: CliContext,
  { logFile, workspace }: StackPaths,
  started: StackStartOutcome,
): ExitCode => {
  if (started.kind === 'stopped') return EXIT.interrupted;
  const how = started.kind === 'failed' ? started.how : 'it ended at once';
  if (started.kind === 'failed' && started.log !== '') screen.report(started.log);
  screen.report(`Orion was not started for ${workspace}: ${how}. Its log: ${logFile}`);
  return started.kind === 'failed' && started.code === EXIT.config ? EXIT.config : EXIT.failed;
};

const printHowToUse = ({ screen, config }: CliContext): void => {
  screen.report(
    config.isAddressed
      ? `A setting names another gateway: \`orion\` talks to ${config.url} while ORION_URL, ORION_HOST or ORION_PORT is set.`
      : '`orion`, here or in a folder below, talks to it; `orion down` stops it.',
  );
};
