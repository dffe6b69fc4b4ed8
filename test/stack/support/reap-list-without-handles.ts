/** Opens the reap list of a file with a single handle left: enough for the lock, and too few to start the reaper. */
import { openReapList } from '../../../src/stack/processes/reap-list.ts';
import { printWithHandlesLeft } from '../../support/few-handles.ts';

const [file = ''] = process.argv.slice(2);
await printWithHandlesLeft(1, () => openReapList(file));
