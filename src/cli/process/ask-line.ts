import { createInterface } from 'node:readline';
import type { CliProcess } from './cli-process.ts';

/** What a person has typed after a question. */
export interface AskedLine<T> {
  /** Undefined if the person did not reply. */
  readonly reply: T | undefined;
  /** Lines that came together with the reply, after it. */
  readonly linesAfter: readonly string[];
}

/**
 * Asks a person a question on a terminal, outside of a chat. `read` interprets a typed line and returns the reply. If
 * it returns undefined, the question is asked again. Ctrl-C and the end of input both mean that the person does not
 * reply, even after text that was typed without Enter.
 */
export const askLine = <T>(
  { stdin: input, stderr }: Pick<CliProcess, 'stdin' | 'stderr'>,
  question: string,
  read: (line: string) => T | undefined,
): Promise<AskedLine<T>> => {
  const output = stderr as NodeJS.WriteStream;
  const lines = createInterface({ input, output, terminal: true, prompt: question });
  let reply: T | undefined;
  const linesAfter: string[] = [];
  lines.on('line', (line) => {
    // At the end of input, readline passes on what was typed without Enter.
    if (input.readableEnded) return;
    if (reply !== undefined) return void linesAfter.push(line);
    reply = read(line);
    if (reply === undefined) return lines.prompt();
    // Lines that came together with the reply are read first.
    setImmediate(() => lines.close());
  });
  lines.once('SIGINT', () => lines.close());
  lines.prompt();
  return new Promise((resolve) =>
    lines.once('close', () => {
      // Without Enter, the cursor is still behind the question.
      if (reply === undefined) output.write('\n');
      resolve({ reply, linesAfter });
    }),
  );
};
