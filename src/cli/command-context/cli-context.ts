import { findCurrentStack } from '../../background/running-stacks.ts';
import type { CliConfig } from '../../config/settings/cli-settings.ts';
import type { CliProcess } from '../process/cli-process.ts';
import { createConversationClient, type ConversationClient } from '../http/conversation-client.ts';
import { createCostClient, type CostClient } from '../http/cost-client.ts';
import { createGatewayClient } from '../http/gateway-client.ts';
import { createInfoClient, type InfoClient } from '../http/info-client.ts';
import { createInputRequestClient, type InputRequestClient } from '../http/input-request-client.ts';
import type { RetryOptions } from '../http/retry.ts';
import { createTraceClient, type TraceClient } from '../http/trace-client.ts';
import { createTurnClient, type TurnClient } from '../http/turn-client.ts';
import { createWriteSessionClient, type WriteSessionClient } from '../http/write-session-client.ts';
import { createColors } from '../render/colors.ts';
import { Screen } from '../render/screen.ts';
import { createKeptSessions, type KeptSessions } from '../write-session/kept-sessions.ts';

/** What every command uses: its process, its configuration, the screen and the clients of the gateway. */
export interface CliContext {
  readonly cliProcess: CliProcess;
  readonly config: CliConfig;
  readonly screen: Screen;
  readonly turns: TurnClient;
  readonly conversations: ConversationClient;
  readonly writeSessions: WriteSessionClient;
  readonly traces: TraceClient;
  readonly costs: CostClient;
  readonly inputRequests: InputRequestClient;
  readonly info: InfoClient;
  readonly keptSessions: KeptSessions;
  readonly retry: RetryOptions;
  /** True when results are printed as JSON on stdout. */
  readonly printsJson: boolean;
  readonly isVerbose: boolean;
  /** True when text goes into a pipe at once. Otherwise it is held back until no model call can withdraw it. */
  readonly streamsToPipe: boolean;
}

/** Flags that every command takes. They take precedence over the environment. */
export interface GlobalFlags {
  readonly url?: string | undefined;
  readonly project?: string | undefined;
  readonly printsJson: boolean;
  readonly isVerbose: boolean;
  readonly streamsToPipe: boolean;
}

/**
 * Makes the context of all commands. Flags take precedence over `settings`. If neither names a gateway, the gateway is
 * that of the stack that runs for the current folder or one above it, if there is such a stack.
 */
export const createContext = (
  cliProcess: CliProcess,
  settings: CliConfig,
  flags: GlobalFlags,
): CliContext => {
  const isAddressed = flags.url !== undefined || settings.isAddressed;
  const config = {
    ...settings,
    url: flags.url ?? (isAddressed ? undefined : findCurrentStack(settings.stateDir)?.url) ?? settings.url,
    isAddressed,
    projectId: flags.project ?? settings.projectId,
  };
  const gateway = createGatewayClient(config);
  const { stdout, stderr, sharesOneFile, timers } = cliProcess;
  const colors = createColors(config.colors && stderr.isTTY === true);
  const screen = new Screen({ stdout, stderr, colors, sharesOneFile, every: timers.every });
  const { attempts, retryDelayMs: delayMs } = config;
  return {
    cliProcess,
    config,
    screen,
    turns: createTurnClient(gateway),
    conversations: createConversationClient(gateway),
    writeSessions: createWriteSessionClient(gateway),
    traces: createTraceClient(gateway),
    costs: createCostClient(gateway),
    inputRequests: createInputRequestClient(gateway),
    info: createInfoClient(gateway),
    keptSessions: createKeptSessions(config.stateDir),
    retry: { attempts, delayMs, sleep: timers.sleep, report: (line) => screen.report(line) },
    printsJson: flags.printsJson,
    isVerbose: flags.isVerbose,
    streamsToPipe: flags.streamsToPipe,
  };
};
