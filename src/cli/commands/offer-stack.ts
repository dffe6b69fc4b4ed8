import { createInterface } from 'node:readline/promises';
import { resolve } from 'node:path';
import type { CliContext } from '../context.ts';
import { Unreachable } from '../http/failures.ts';
import { createGateway } from '../http/gateway.ts';

/** Somebody waits at a terminal: what does not answer by then is there, but busy. */
const LONGEST_WAIT_MS = 2_000;

const nobodyListens = async ({ config }: CliContext): Promise<boolean> => {
  const signal = AbortSignal.timeout(LONGEST_WAIT_MS);
  try {
    await createGateway(config).request('/api/info', { signal });
    return false;
  } catch (error) {
    return error instanceof Unreachable;
  }
};

/**
 * Asks a person who begins to chat for a stack of the current folder, where nobody named a gateway and none listens.
 * Ctrl-C and the end of input say no.
 */
export const offerStack = async (context: CliContext): Promise<'unneeded' | 'wanted' | 'declined'> => {
  const { stdin: input, stderr } = context.process;
  if (context.config.isAddressed || stderr.isTTY !== true || !(await nobodyListens(context)))
    return 'unneeded';
  context.screen.say(`No Orion answers at ${context.config.url}.`);
  context.screen.say(
    `It can be started for this folder: ${resolve('.')}. Its tools read and write the files in it.`,
  );
  const lines = createInterface({ input, output: stderr as NodeJS.WriteStream, terminal: true });
  const stopped = new AbortController();
  lines.once('SIGINT', () => stopped.abort());
  lines.once('close', () => stopped.abort());
  try {
    const answer = await lines.question('Start it? [Y/n] ', stopped);
    return /^(y|yes)?$/i.test(answer.trim()) ? 'wanted' : 'declined';
  } catch (error) {
    if (stopped.signal.aborted) return 'declined';
    throw error;
  } finally {
    lines.close();
  }
};
