import { isLoopbackUrl } from '../base/hosts/loopback.ts';
import { loadCliConfig } from '../config/settings/cli-settings.ts';
import type { Environment } from '../config/settings/load-settings.ts';
import { describeUnknown, isMisleading, unknownSettings } from '../config/unknown-settings.ts';
import { parseInvocation } from './args/parse-invocation.ts';
import { runChat } from './chat/run-chat.ts';
import type { CliProcess } from './process/cli-process.ts';
import { runCapacity } from './commands/capacity-command.ts';
import { runCompletion } from './commands/completion-command.ts';
import { runConfig } from './commands/config-command.ts';
import { runGatewayCommand } from './commands/gateway-command.ts';
import { runKeysNew } from './commands/keys-command.ts';
import { offerStack, type StackOffer } from './commands/offer-stack.ts';
import { runTemporal } from './commands/temporal-command.ts';
import { runUp } from './commands/up-command.ts';
import { createContext, type CliContext } from './command-context/cli-context.ts';
import { EXIT, type ExitCode } from './process/exit-codes.ts';
import { detailOf, GatewayRefusedError, GatewayUnreachableError } from './http/gateway-failures.ts';

/**
 * Runs the command that `argv`, the arguments after `orion`, asks for, and returns its exit code. Errors of the gateway
 * are reported. Throws ConfigError if a setting, the folder of a stack or a file of keys cannot be used.
 */
export const runCli = async (
  argv: readonly string[],
  cliProcess: CliProcess,
  readEnvironment: () => Environment,
): Promise<ExitCode> => {
  const invocation = parseInvocation(argv);
  if (invocation.kind === 'text') {
    cliProcess[invocation.to].write(invocation.text);
    return invocation.exitCode;
  }
  const { command, flags } = invocation;
  // These commands talk to no gateway. Except `temporal`, they work even with wrong settings, which they do not read.
  if (command.name === 'completion') return runCompletion(argv);
  if (command.name === 'temporal') return runTemporal(cliProcess.stderr, command.args, readEnvironment());
  if (command.name === 'keys new') return runKeysNew(cliProcess.stdout, cliProcess.stderr, command);
  if (command.name === 'capacity') return runCapacity(cliProcess.stdout, command);
  const env = readEnvironment();
  const settings = loadCliConfig(env);
  const context = createContext(cliProcess, settings, flags);
  try {
    if (command.name === 'config') return await runConfig(context, env);
    for (const unknown of unknownSettings(env).filter(isMisleading)) {
      context.screen.report(describeUnknown(unknown));
    }
    if (command.name === 'up') return await runUp(context, { folder: command.folder, env });
    if (command.name !== 'chat' || !cliProcess.stdin.isTTY) return await runGatewayCommand(context, command);
    const offer = await offerStack(context);
    const startCode = await startIfWanted(context, offer.kind, env);
    if (startCode !== EXIT.done) return startCode;
    const { firstMessage } = command;
    const initialMessages = [...(firstMessage === undefined ? [] : [firstMessage]), ...offer.messages];
    // A new context finds the address of a stack that was just started.
    return await runChat(createContext(cliProcess, settings, flags), command.turnFlags, initialMessages);
  } catch (error) {
    return reportFailure(context, error);
  } finally {
    context.screen.clearStatus();
  }
};

/** Starts a stack if the person has accepted the offer. Any result other than `EXIT.done` ends the command. */
const startIfWanted = async (
  context: CliContext,
  offer: StackOffer['kind'],
  env: Environment,
): Promise<ExitCode> => {
  if (offer === 'unneeded') return EXIT.done;
  return offer === 'wanted' ? runUp(context, { folder: undefined, env }) : EXIT.unreachable;
};

/** Reports an error of the gateway and returns the exit code of the command that it ends. Throws any other error. */
const reportFailure = ({ screen, config }: CliContext, error: unknown): ExitCode => {
  if (error instanceof GatewayUnreachableError) {
    screen.report(error.message);
    screen.report(startHint(config.url));
    return EXIT.unreachable;
  }
  if (!(error instanceof GatewayRefusedError)) throw error;
  const turnId = detailOf(error, 'turnId');
  const hint =
    error.code === 'turn_in_progress' && turnId !== undefined ? ` \`orion attach ${turnId}\` shows it.` : '';
  screen.report(`${error.message}${hint} (${error.code})`);
  return EXIT.failed;
};

/**
 * Returns a hint for a person whose gateway does not answer. Only a gateway on this machine can be started from here.
 */
const startHint = (url: string): string =>
  isLoopbackUrl(new URL(url))
    ? '`orion up` starts Orion for this folder; --url or ORION_URL names another gateway.'
    : 'Is the address right? --url or ORION_URL names it.';
