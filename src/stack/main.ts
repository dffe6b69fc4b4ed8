import { fileURLToPath } from 'node:url';
import { safeForTerminal, safeInLine } from '../base/text/safe-for-terminal.ts';
import { StartError } from '../base/errors/start-error.ts';
import { errorMessage } from '../contracts/values/error-message.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load-config.ts';
import type { Environment } from '../config/settings/load-settings.ts';
import { enterProcess } from '../process/process-entry.ts';
import { reportReady } from '../process/supervised.ts';
import { commandsNotice } from './commands-notice.ts';
import { runDemonstration } from './demonstration.ts';
import { Supervisor, type StackAddresses } from './supervisor.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const write = (text: string): void => void process.stdout.write(text);
/** Makes a line safe: whatever it holds (names of files, ends of logs), a terminal shows it and obeys none of it. */
const log = (line: string): void => write(`orion: ${safeForTerminal(line)}\n`);

/**
 * Runs `npm start`: brings the whole system up, shows that it works, and keeps it running until it is asked to stop.
 */
const run = async (config: Config, env: Environment): Promise<void> => {
  const supervisor = new Supervisor({ root, config, env, log });
  const { promise: told, resolve: stop } = Promise.withResolvers<'stopped'>();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop('stopped'));
  try {
    const result = await Promise.race([supervisor.start(), told]);
    if (result !== 'stopped') await serve(result, config, told);
  } catch (error) {
    if (!isAboutDisk(error)) throw error;
    const cause = { cause: error };
    throw new StartError(`The data directory ${config.dataDir} cannot be used: ${error.message}`, cause);
  } finally {
    await supervisor.stop();
  }
};

/**
 * Tells if an error is a full disk or a folder of another account: nothing of ours is wrong, and a stack trace would
 * not help.
 */
const isAboutDisk = (error: unknown): error is Error =>
  error instanceof Error &&
  'code' in error &&
  ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM'].includes(String(error.code));

const serve = async (addresses: StackAddresses, config: Config, told: Promise<unknown>): Promise<void> => {
  // In the background nobody watches, and the workspace is a person's project. With keys, only their owners
  // can ask.
  const isWatched = !process.connected && config.apiKeysFile === undefined;
  if (addresses.demoModel !== undefined && isWatched) {
    await Promise.race([showDemonstration(addresses.gateway), told]);
  }
  write(describe(addresses, config, await commandsNotice(config)));
  reportReady();
  await told;
  log('stopping');
};

/** Shows the demonstration. The system runs, so a failure of it is reported and not fatal. */
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

/** Another terminal does not know a port that this shell has exported. */
const commandFor = (gateway: string): string =>
  gateway === 'http://127.0.0.1:5000' ? 'npx orion' : `ORION_URL=${gateway} npx orion`;

const describe = (
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
