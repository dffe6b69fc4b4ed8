/*
 * The environment of each child process, made by allow-lists. /proc shows an environment to every process of the
 * account, and a process that is taken over gives its environment away.
 */
import { randomBytes } from 'node:crypto';
import { localUrlOf } from '../../base/hosts/local-url.ts';
import type { Config } from '../../config/config.ts';
import type { Environment } from '../../config/settings/load-settings.ts';
import { readNamedVariables } from '../../config/files/mcp-servers.ts';
import { DEMO_MODEL } from '../../config/settings/model-provider.ts';
import { variablesOf } from '../../config/settings/setting-readers.ts';

/** The variables that any program may need. */
const MACHINE = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'];
const NODE = ['NODE_OPTIONS', 'NODE_COMPILE_CACHE', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];
/** Variables that name proxies on the way to the model provider and MCP servers. Their values may contain passwords. */
const PROXY = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];
/** The variables that the MCP library hands on to a server on stdio, besides those of `MACHINE`. */
const LOGIN = ['LOGNAME', 'SHELL', 'TERM', 'USER'];

/**
 * Heartbeat timeout of activities, in milliseconds. It can be long, because the supervisor notices at once when a
 * worker ends. In an outage of Temporal that is longer than the timeout, the model is called a second time
 * (docs/decisions/heartbeat-thirty-seconds.md).
 */
const SUPERVISED_HEARTBEAT_TIMEOUT_MS = 30_000;

/**
 * What a stack has started and built itself: the addresses of its servers, and the path of its workflow bundle. An
 * address is undefined if the configuration names a server.
 */
export interface StackParts {
  readonly temporalAddress: string | undefined;
  readonly databaseUrl: string | undefined;
  readonly demoModelUrl: string | undefined;
  readonly workflowBundle: string;
}

/** Environments of gateways and workers. */
export interface ServiceEnvironments {
  readonly gateway: NodeJS.ProcessEnv;
  readonly worker: NodeJS.ProcessEnv;
}

/**
 * Returns the environment of Postgres and Temporal, which are not our programs: the variables of `MACHINE`, and no
 * setting.
 */
export const machineEnvironment = (env: Environment): NodeJS.ProcessEnv => pick(env, MACHINE);

/** Returns the environment of our own programs that read no settings: the variables of `MACHINE`, and those of Node. */
export const nodeEnvironment = (env: Environment): NodeJS.ProcessEnv => pick(env, [...MACHINE, ...NODE]);

/**
 * Returns the environments of gateways and workers. Of the settings, each has only those that it reads, so only workers
 * get the key of the model.
 */
export const serviceEnvironments = (
  env: Environment,
  config: Config,
  provided: StackParts,
): ServiceEnvironments => {
  const sharedVariables = sharedVariablesOf(config, provided);
  // The Postgres library also reads PG* variables, which belong to an address that the configuration names.
  const libraries = [
    ...namesWith(env, 'TEMPORAL_'),
    ...(config.databaseUrl === undefined ? [] : namesWith(env, 'PG')),
  ];
  const environmentOf = (reader: 'gateway' | 'worker', more: readonly string[] = []): NodeJS.ProcessEnv => ({
    MODEL_HEARTBEAT_TIMEOUT_MS: String(SUPERVISED_HEARTBEAT_TIMEOUT_MS),
    ...nodeEnvironment(env),
    ...pick(env, [...variablesOf(reader), ...libraries, ...more]),
    ...sharedVariables,
  });
  const { uiUrl } = config.temporal;
  return {
    gateway: {
      ...environmentOf('gateway'),
      ...demoModelVariables(provided.demoModelUrl),
      ...liveAddressVariable(config),
      ORION_SUPERVISED: 'on',
      // The default of this setting depends on the model's key, which a gateway does not get.
      ORION_MODEL: config.model.model,
      ...(uiUrl !== undefined && { ORION_TEMPORAL_UI_URL: uiUrl }),
    },
    worker: {
      ...environmentOf('worker', furtherWorkerNames(config)),
      ...demoModelVariables(provided.demoModelUrl),
      ORION_WORKFLOW_BUNDLE: provided.workflowBundle,
    },
  };
};

/**
 * Returns the names of the variables that workers get besides their settings: those for the model provider, MCP
 * servers and commands.
 */
const furtherWorkerNames = ({ mcpConfigFile, commands }: Config): readonly string[] => [
  ...PROXY,
  'NODE_USE_ENV_PROXY',
  ...LOGIN,
  ...readNamedVariables(mcpConfigFile),
  ...commands.handedOn,
];

/**
 * Returns the variables that gateways and workers share. An address or token that the configuration names already, even
 * by `*_FILE` or a Temporal profile, is not set here, since a setting that is given twice would be refused. Paths are
 * made absolute, so that they mean the same wherever a child runs.
 */
const sharedVariablesOf = (config: Config, provided: StackParts): NodeJS.ProcessEnv => ({
  ORION_DATA_DIR: config.dataDir,
  ORION_WORKSPACE: config.workspace,
  ...(config.hasProjectFolders && { ORION_PROJECT_FOLDERS: 'on' }),
  ...(config.live.token === undefined && { ORION_INTERNAL_TOKEN: randomBytes(24).toString('base64url') }),
  ...(provided.databaseUrl !== undefined && { DATABASE_URL: provided.databaseUrl }),
  ...(provided.temporalAddress !== undefined && { TEMPORAL_ADDRESS: provided.temporalAddress }),
});

const pick = (env: Environment, names: readonly string[]): NodeJS.ProcessEnv =>
  Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));

const namesWith = (env: Environment, prefix: string): readonly string[] =>
  Object.keys(env).filter((name) => name.startsWith(prefix) && name !== 'TEMPORAL_CLI');

const demoModelVariables = (url: string | undefined): NodeJS.ProcessEnv =>
  url === undefined ? {} : { OPENAI_BASE_URL: url, ORION_MODEL: DEMO_MODEL, ORION_MODEL_PROVIDER: 'generic' };

/**
 * Returns the variable with the address of the gateway's lane. The workers are on this machine, which may not know its
 * own name, so the address is a local one. Returns none if the configuration names an address, or with port 0, because
 * the real port is known too late.
 */
const liveAddressVariable = ({ http, live }: Config): NodeJS.ProcessEnv =>
  live.address === undefined && http.port !== 0
    ? { ORION_LIVE_ADDRESS: localUrlOf(http.host, http.port) }
    : {};
