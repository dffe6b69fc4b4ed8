/** A child that does not hear that it should stop. */
import { joinSupervisor } from '../../../src/process/supervised.ts';

process.on('SIGTERM', () => undefined);
joinSupervisor(() => undefined)();
setInterval(() => undefined, 60_000);
