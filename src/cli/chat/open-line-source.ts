import type { CliContext } from '../command-context/cli-context.ts';
import { LineSource, type LineSourceOptions } from './line-source.ts';

type TypedLineOptions = Pick<LineSourceOptions, 'history' | 'initialMessages' | 'complete' | 'onSent'>;

/** Opens the lines that a person types at this command's terminal, below its output. */
export const openLineSource = (
  { process, screen }: Pick<CliContext, 'process' | 'screen'>,
  options: TypedLineOptions,
): LineSource => {
  const { stdin: input, stdout, stderr, interrupts, timers } = process;
  const output = (stderr.isTTY === true ? stderr : stdout) as NodeJS.WriteStream;
  return new LineSource({ input, output, screen, interrupts, after: timers.after, ...options });
};

/** Opens lines for a single question outside a conversation: nothing of it is remembered. */
export const openPlainLineSource = (context: Pick<CliContext, 'process' | 'screen'>): LineSource =>
  openLineSource(context, {
    history: [],
    initialMessages: [],
    complete: (before) => ({ replaces: before, candidates: [] }),
    onSent: () => undefined,
  });
