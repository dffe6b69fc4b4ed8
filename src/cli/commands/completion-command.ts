import { createProgram } from '../args/program.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';

/** `completion <shell>` prints a script, which then asks with `complete -- <words>` at every Tab. */
export const runCompletion = async (argv: readonly string[]): Promise<ExitCode> => {
  const { default: addCompletion } = await import('@bomb.sh/tab/commander');
  const program = createProgram(() => undefined);
  addCompletion(program, { completionCommandName: 'completion' });
  program.parse(argv, { from: 'user' });
  return EXIT.done;
};
