import { describeCliConfig } from '../../config/cli-settings.ts';
import type { Environment } from '../../config/load-settings.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Output } from '../render/screen.ts';

/** Prints every setting in effect, those of the command itself included. Throws ConfigError. */
export const printConfig = async (stdout: Output, env: Environment): Promise<ExitCode> => {
  // It brings the client of Temporal along, which no other command needs.
  const { describeConfig } = await import('../../config/config.ts');
  const lines = [...describeConfig(env).split('\n'), ...describeCliConfig(env).split('\n')];
  stdout.write(`${[...new Set(lines)].toSorted().join('\n')}\n`);
  return EXIT.done;
};
