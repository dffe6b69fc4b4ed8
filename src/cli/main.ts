import { fileURLToPath } from 'node:url';
import { ConfigError } from '../base/errors/config-error.ts';
import { readEnvironment } from '../config/environment.ts';
import { createInterrupts, isOneOpenFile, systemTimers } from './process/cli-process.ts';
import { EXIT } from './process/exit-codes.ts';
import { runCli } from './run-cli.ts';

/** Ends the process once stdout has taken all output, because a pipe may still be full. */
const leave = (code: number): void => {
  process.stdout.write('', () => process.exit(code));
};

const report = (error: unknown): void => {
  if (error instanceof ConfigError) {
    process.stderr.write(`${error.message}\n`);
    return leave(EXIT.config);
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${text}\n`);
  leave(EXIT.failed);
};

/**
 * The folder of Orion itself, whose `.env` is read. A `.env` of the project in which the person works must not decide
 * which gateway gets the API key.
 */
const checkout = fileURLToPath(new URL('../..', import.meta.url));

const interrupts = createInterrupts(() => process.exit(EXIT.interrupted));
process.on('SIGINT', () => interrupts.raise());
// The reader of a pipe may have seen enough and closed it (`orion … | head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.failed);
});

const { stdin, stdout, stderr } = process;
const sharesOneFile = isOneOpenFile(1, 2);
runCli(
  process.argv.slice(2),
  { stdin, stdout, stderr, sharesOneFile, timers: systemTimers, interrupts },
  () => readEnvironment(checkout),
).then(leave, report);
