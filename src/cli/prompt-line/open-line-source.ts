import type { CliContext } from '../command-context/cli-context.ts';
import { LineSource, type LineSourceDeps } from './line-source.ts';

type TypedLineOptions = Pick<LineSourceDeps, 'history' | 'initialMessages' | 'complete' | 'onSent'>;

/** Opens a `LineSource` on this command's terminal. Its prompt is drawn below the command's output. */
export const openLineSource = (
  { cliProcess, screen }: Pick<CliContext, 'cliProcess' | 'screen'>,
  options: TypedLineOptions,
): LineSource => {
  const { stdin: input, stdout, stderr, interrupts, timers } = cliProcess;
  const output = (stderr.isTTY === true ? stderr : stdout) as NodeJS.WriteStream;
  return new LineSource({ input, output, screen, interrupts, after: timers.after, ...options });
};

/** Opens a `LineSource` for replies outside a conversation. It has no history, and nothing is remembered. */
export const openPlainLineSource = (context: Pick<CliContext, 'cliProcess' | 'screen'>): LineSource =>
  openLineSource(context, {
    history: [],
    initialMessages: [],
    complete: (before) => ({ replaces: before, candidates: [] }),
    onSent: () => undefined,
  });
