import { listCliConfig } from '../../config/settings/cli-settings.ts';
import type { Environment } from '../../config/settings/load-settings.ts';
import { describeUnknown, unknownSettings } from '../../config/unknown-settings.ts';
import type { InfoResponse } from '../../contracts/http/info-api.ts';
import type { Setting } from '../../contracts/values/setting.ts';
import type { CliContext } from '../command-context/cli-context.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { GatewayRefusedError, GatewayUnreachableError } from '../http/gateway-failures.ts';
import { safeForTerminal } from '../../base/text/safe-for-terminal.ts';
import { jsonLine } from '../render/output.ts';

/**
 * Time in milliseconds to wait for the gateway. A gateway that hangs must not keep a person from seeing the settings of
 * this shell.
 */
const MAX_WAIT_MS = 3_000;

/** The source of the shown settings: the gateway, or this shell because of `reason`. */
type SettingsSource =
  | { readonly kind: 'gateway'; readonly version: string; readonly settings: readonly Setting[] }
  | { readonly kind: 'shell'; readonly reason: string; readonly settings: readonly Setting[] };

/**
 * Runs `orion config`: prints the settings that the gateway runs with, or those of this shell if the gateway does not
 * tell them, and then the settings of the command. Throws ConfigError when the shell's settings are needed and wrong.
 */
export const runConfig = async (context: CliContext, env: Environment): Promise<ExitCode> => {
  const { screen, printsJson, config } = context;
  for (const unknown of unknownSettings(env)) screen.report(describeUnknown(unknown));
  const source = await readSettingsSource(context, env);
  const commandSettings = listCliConfig(env);
  if (printsJson) {
    const { kind, settings, ...origin } = source;
    screen.write(jsonLine({ source: kind, url: config.url, ...origin, settings, command: commandSettings }));
    return EXIT.done;
  }
  const lines = [
    `# ${headingOf(source, config.url)}`,
    ...source.settings.map(settingLine),
    '',
    '# Settings of this command, from this shell and .env',
    ...commandSettings.map(settingLine),
  ];
  for (const line of lines) screen.writeLine(safeForTerminal(line));
  return EXIT.done;
};

const readSettingsSource = async (context: CliContext, env: Environment): Promise<SettingsSource> => {
  const response = await readGatewayInfo(context);
  if (typeof response !== 'string' && response.settings !== null) {
    return { kind: 'gateway', version: response.version, settings: response.settings };
  }
  const { url } = context.config;
  const reason =
    typeof response === 'string'
      ? response
      : `The gateway at ${url} shows its settings to keys of all projects only`;
  // Imported only here, because the module loads the client of Temporal, which most commands do not need.
  const { listConfig } = await import('../../config/load-config.ts');
  return { kind: 'shell', reason, settings: listConfig(env) };
};

/** Returns what the gateway says about itself, or a text that says why it says nothing. */
const readGatewayInfo = async ({ info, config: { url } }: CliContext): Promise<InfoResponse | string> => {
  const signal = AbortSignal.timeout(MAX_WAIT_MS);
  try {
    return await info.read(signal);
  } catch (error) {
    if (error instanceof GatewayUnreachableError) return error.message;
    if (error instanceof GatewayRefusedError) return `The gateway at ${url} does not say: ${error.message}`;
    if (signal.aborted) return `No answer from ${url} in ${MAX_WAIT_MS / 1000} s`;
    throw error;
  }
};

const headingOf = (source: SettingsSource, url: string): string =>
  source.kind === 'gateway'
    ? `Settings of the gateway at ${url} (Orion ${source.version})`
    : `${source.reason}. Settings of this shell and .env, as \`npm start\` would use them`;

const settingLine = ({ name, value, isDefault }: Setting): string => {
  if (!isDefault) return `${name}=${value}`;
  return value === '' ? `${name}= # unset` : `${name}=${value} # default`;
};
