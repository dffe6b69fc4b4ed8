/** Stands in for `src/stack/main.ts`: it takes no arguments, and the environment variable STANDIN says what it does. */
import { reportReady } from '../../../src/process/supervised.ts';

process.stdout.write(`runs in ${process.cwd()} with ${process.env['ORION_WORKSPACE'] ?? 'no workspace'}\n`);
process.on('SIGTERM', () => {
  switch (process.env['STANDIN']) {
    case 'stubborn':
      return;
    case 'late':
      // It was about to serve, and ends only after it has said so.
      reportReady();
      setTimeout(() => {
        process.stdout.write('ends\n');
        process.exit(0);
      }, 200);
      return;
    default:
      process.exit(0);
  }
});
const keptAlive = setInterval(() => undefined, 60_000);
switch (process.env['STANDIN']) {
  case 'ready':
  case 'stubborn':
    reportReady();
    break;
  case 'failing':
    clearInterval(keptAlive);
    process.stderr.write('DATABASE: nobody serves it\n');
    process.exitCode = 1;
    break;
  default:
    process.stdout.write('waits\n');
}
