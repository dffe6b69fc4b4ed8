/** Starts a program without a handle left, in the way of `programStarts` that the argument names. */
import { printWithHandlesLeft } from '../../support/few-handles.ts';
import { programStarts, type ProgramStart } from './program-starts.ts';

const start = programStarts[process.argv[2] as ProgramStart];
await printWithHandlesLeft(0, () => start([]));
