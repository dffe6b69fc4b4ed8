import type { CliContext } from '../parts/cli-context.ts';
import { LineSource, type LineSourceOptions } from './line-source.ts';

type TypedLineOptions = Pick<LineSourceOptions, 'history' | 'given' | 'complete' | 'onSent'>;

/** Lines that a person types at the terminal of this command, below what it says. */
export const openLines = (
  { process, screen }: Pick<CliContext, 'process' | 'screen'>,
  options: TypedLineOptions,
): LineSource => {
  const { stdin: input, stdout, stderr, interrupts, timers } = process;
  const output = (stderr.isTTY === true ? stderr : stdout) as NodeJS.WriteStream;
  return new LineSource({ input, output, screen, interrupts, after: timers.after, ...options });
};

/** Lines for what is asked once, outside a conversation: nothing is remembered of it. */
export const openBareLines = (context: Pick<CliContext, 'process' | 'screen'>): LineSource =>
  openLines(context, {
    history: [],
    given: [],
    complete: (before) => ({ replaces: before, candidates: [] }),
    onSent: () => undefined,
  });
