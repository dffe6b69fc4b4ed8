/** Asks about this process, which is alive, without a handle left. The argument is the name of the function to call. */
import { readCommandLine, readStartTime } from '../../../src/stack/processes/process-identity.ts';
import { printWithHandlesLeft } from '../../support/few-handles.ts';

const ask = process.argv[2] === 'readStartTime' ? readStartTime : readCommandLine;
await printWithHandlesLeft(0, () => new Promise((resolve) => resolve(ask(process.pid))));
