import { resolve } from 'node:path';
import type { CliContext } from '../command-context/cli-context.ts';
import { GatewayUnreachableError } from '../http/gateway-failures.ts';
import { createGatewayClient } from '../http/gateway-client.ts';
import { askLine } from '../process/ask-line.ts';

/**
 * Time in milliseconds to wait for a gateway while a person waits at the terminal. A gateway that takes longer is taken
 * to be running but busy.
 */
const MAX_WAIT_MS = 2_000;

/** The result of offering to start a stack. `messages` are the lines that were typed instead of a reply or after it. */
export interface StackOffer {
  readonly kind: 'unneeded' | 'wanted' | 'declined';
  readonly messages: readonly string[];
}

/**
 * Offers a person who begins to chat to start a stack of the current folder, if no gateway was named and none answers.
 * Ctrl-C and the end of input mean no. A text that is neither yes nor no is kept as a message, and the question is
 * asked again.
 */
export const offerStack = async (context: CliContext): Promise<StackOffer> => {
  const { screen, config, cliProcess } = context;
  if (config.isAddressed || cliProcess.stderr.isTTY !== true || !(await nobodyListens(context))) {
    return { kind: 'unneeded', messages: [] };
  }
  screen.report(`No Orion answers at ${config.url}.`);
  screen.report(
    `It can be started for this folder: ${resolve('.')}. Its tools read and write the files in it.`,
  );
  return askWhetherToStart(context);
};

const nobodyListens = async ({ config }: CliContext): Promise<boolean> => {
  const signal = AbortSignal.timeout(MAX_WAIT_MS);
  try {
    await createGatewayClient(config).request('/api/info', { signal });
    return false;
  } catch (error) {
    return error instanceof GatewayUnreachableError;
  }
};

const askWhetherToStart = async ({ cliProcess, screen }: CliContext): Promise<StackOffer> => {
  const messages: string[] = [];
  const { reply, linesAfter } = await askLine(cliProcess, 'Start it? [Y/n] ', (line) => {
    const offerReply = readOfferReply(line.trim());
    if (offerReply === undefined) {
      messages.push(line);
      screen.report('Your message will be sent once Orion runs.');
    }
    return offerReply;
  });
  return { kind: reply ?? 'declined', messages: [...messages, ...linesAfter].filter((line) => line.trim()) };
};

/** Reads a typed line as a reply to the offer. Returns undefined if it is a message. */
const readOfferReply = (text: string): 'wanted' | 'declined' | undefined => {
  if (/^(y|yes)?$/i.test(text)) return 'wanted';
  return /^(n|no)$/i.test(text) ? 'declined' : undefined;
};
