/** A child that serves until it is told to stop. Its first argument is the port that it reports. */
import { joinSupervisor } from '../../../src/process/supervised.ts';

const stop = (): void => process.exit(0);
process.once('SIGTERM', stop);
joinSupervisor(stop)(Number(process.argv[2] ?? 1));
setInterval(() => undefined, 60_000);
