import { afterAll } from '@jest/globals';
import { createStateDir, runOrion, type CliRunOptions } from '../../support/orion-cli.ts';
import type { Response } from '../../support/fake-model/script.ts';
import { useStack, type StackInUse } from '../../support/use-stack.ts';

/** A stack for the `orion` command, and how to run the command there. */
export interface CliInUse extends StackInUse {
  readonly options: CliRunOptions;
  /** Runs the command to its end. */
  readonly orion: (args: readonly string[], input?: string) => ReturnType<typeof runOrion>;
  /** The state directory that all runs share. */
  readonly statePath: string;
}

/** Gives the tests of a file one stack, which offers the models `fake` and `large`, and one state directory. */
export const useCli = (take: (started: CliInUse) => void): void => {
  const state = createStateDir();
  useStack({ ORION_MODELS: 'large' }, (started) => {
    const env = { XDG_STATE_HOME: state.path, RETRY_DELAY_MS: '50' };
    const options = { url: started.stack.baseUrl, env };
    const orion: CliInUse['orion'] = (args, input) =>
      runOrion(args, { ...options, ...(input !== undefined && { input }) });
    take({ ...started, options, orion, statePath: state.path });
  });
  afterAll(() => state.remove());
};

/** Returns a response, each attempt at which stops in its middle until the gate is open. */
export const heldAt = (gate: string, parts: readonly string[]): Response => {
  const middle = Math.floor(parts.length / 2);
  const texts = parts.map((text) => ({ text }));
  const steps = [...texts.slice(0, middle), { gate }, ...texts.slice(middle)];
  return { steps: [...steps, { finish: 'stop' }, { done: true }] };
};

/** How often the model is asked for a text when a process of this role dies in the middle of the text. */
export const ATTEMPTS = [
  ['gateway', 1],
  ['worker', 2],
] as const;
