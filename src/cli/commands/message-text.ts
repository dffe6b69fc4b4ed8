import type { CliProcess } from '../process/cli-process.ts';

/**
 * Time in milliseconds to wait for the first byte of stdin if the arguments have a text already. A parent process that
 * passes on an open pipe and never writes to it must not keep a prompt waiting for ever.
 */
const FIRST_BYTE_MS = 3_000;

/**
 * Returns the prompt of `-p`: its text, what is piped in, or the text followed by what is piped in. Returns undefined
 * when both are blank. `warn` is called when stdin stays open and sends nothing for a while.
 */
export const readMessageText = async (
  cliProcess: CliProcess,
  text: string | undefined,
  warn: (line: string) => void,
): Promise<string | undefined> => {
  if (cliProcess.stdin.isTTY) return nonBlank(text);
  const isStdinNeeded = nonBlank(text) === undefined;
  const piped = await readStdin(cliProcess, isStdinNeeded);
  if (piped === undefined) warn('Nothing came on stdin; going on without it (use < /dev/null not to wait).');
  return nonBlank([text, piped].filter((part) => nonBlank(part) !== undefined).join('\n\n'));
};

const nonBlank = (text: string | undefined): string | undefined => (text?.trim() ? text : undefined);

/** Reads all of stdin. Returns undefined if stdin is not needed and nothing came for `FIRST_BYTE_MS`. */
const readStdin = async (
  { stdin, timers }: CliProcess,
  isStdinNeeded: boolean,
): Promise<string | undefined> => {
  const parts: Uint8Array[] = [];
  const reading = (async () => {
    for await (const part of stdin as AsyncIterable<Uint8Array>) parts.push(part);
  })();
  const silence = new Promise<'silent'>((resolve) => {
    timers.after(FIRST_BYTE_MS, () => resolve('silent'));
  });
  // The pending read keeps the process alive, so the timer need not.
  const first = isStdinNeeded ? await reading : await Promise.race([reading, silence]);
  if (first === 'silent' && parts.length === 0) {
    stdin.destroy();
    return undefined;
  }
  await reading;
  return Buffer.concat(parts).toString('utf8');
};
