import { fileURLToPath } from 'node:url';
import { safeForTerminal, safeInLine } from '../base/text/safe-for-terminal.ts';
import { StartError } from '../base/errors/start-error.ts';
import { errorMessage } from '../contracts/values/error-message.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load-config.ts';
import { loadCliConfig } from '../config/settings/cli-settings.ts';
import type { Environment } from '../config/settings/load-settings.ts';
import { enterProcess } from '../process/process-entry.ts';
import { reportReady } from '../process/supervised.ts';
import { findCommandsNotice } from './commands-notice.ts';
import { runDemonstration } from './demonstration.ts';
import { waitForStopSignal } from './stop-signals.ts';
import { Supervisor, type StackAddresses } from './supervisor.ts';
import { errnoOf } from '../base/errors/errno.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const write = (text: string): void => void process.stdout.write(text);
/** Writes a line to the terminal. Lines may contain names of files and ends of logs, so they are made safe for it. */
const log = (line: string): void => write(`orion: ${safeForTerminal(line)}\n`);

/**
 * Runs `npm start`: brings the whole system up, shows that it works, and keeps it running until it is asked to stop.
 */
const run = async (config: Config, env: Environment): Promise<void> => {
  const supervisor = new Supervisor({ root, config, env, log });
  const stopped = waitForStopSignal(process, process.stdout);
  try {
    const result = await Promise.race([supervisor.start(), stopped]);
    if (result !== 'stopped') await serve(result, config, stopped);
  } catch (error) {
    if (!isAboutDisk(error)) throw error;
    const cause = { cause: error };
    throw new StartError(`The data directory ${config.dataDir} cannot be used: ${error.message}`, cause);
  } finally {
    await supervisor.stop();
  }
};

/**
 * Reports whether an error has a code that the disk gives: it is full or read-only, or a folder belongs to another
 * account. Such an error is not a defect of Orion, and a stack trace would not help.
 */
const isAboutDisk = (error: unknown): error is Error =>
  error instanceof Error && ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM'].includes(errnoOf(error) ?? '');

const serve = async (addresses: StackAddresses, config: Config, stopped: Promise<unknown>): Promise<void> => {
  // In the background nobody watches, and the workspace is a person's project. If API keys are required, the
  // demonstration has no key to ask with.
  const isWatched = !process.connected && config.apiKeysFile === undefined;
  if (addresses.demoModel !== undefined && isWatched) {
    await Promise.race([showDemonstration(addresses.gateway), stopped]);
  }
  write(readyText(addresses, config, await findCommandsNotice(config)));
  reportReady();
  await stopped;
  log('stopping');
};

/** Shows the demonstration. A failure of the demonstration is only reported, because the system itself runs. */
const showDemonstration = async (gateway: string): Promise<void> => {
  log(
    'no model is configured (OPENAI_API_KEY, OPENAI_BASE_URL): answers come from the built-in demo model\n',
  );
  try {
    await runDemonstration(gateway, write);
  } catch (error) {
    log(`the demonstration failed: ${errorMessage(error)}`);
  }
};

const modelLine = ({ model }: Config): string =>
  model.kind === 'demo' ? `${model.model} (no AI; set OPENAI_API_KEY for one)` : model.model;

/**
 * Returns the command to type in another terminal. It names an address that is not the default, because the other
 * terminal does not have the variables of this one.
 */
const commandFor = (gateway: string): string =>
  gateway === loadCliConfig({}).url ? 'npx orion' : `ORION_URL=${gateway} npx orion`;

const readyText = (
  { gateway, temporalUi }: StackAddresses,
  config: Config,
  commands: string | undefined,
): string =>
  [
    `  Open          ${gateway}`,
    `  Workspace     ${safeInLine(config.workspace)}`,
    `  Projects      ${config.hasProjectFolders ? 'each has a folder of its own in the workspace' : 'all share the workspace'}`,
    `  Model         ${modelLine(config)}`,
    ...(commands === undefined ? [] : [`  Commands      ${safeInLine(commands)}`]),
    `  Chat          POST ${gateway}/api/chat/messages`,
    `  Turns         POST ${gateway}/api/turns`,
    ...(temporalUi === undefined ? [] : [`  Temporal UI   ${temporalUi}`]),
    `  Logs          ${config.dataDir}/logs`,
    `Orion is ready: ${gateway}`,
    `Now type, in another terminal: ${commandFor(gateway)}`,
    '',
  ].join('\n');

enterProcess('orion-supervisor', loadConfig, run);
