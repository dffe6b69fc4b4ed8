/* A supervisor over two children, for tests that kill it. Prints the children's pids when all run. */
import { join } from 'node:path';
import { createProcessesFile } from '../../../src/stack/processes-file.ts';
import { openReapList } from '../../../src/stack/reap-list.ts';
import { steadyService } from '../steady-service.ts';

const folder = process.argv[2] ?? '';
const reapList = await openReapList(join(folder, 'processes.reap'));
const registry = { reapList, processes: createProcessesFile(folder) };
const pids: number[] = [];
const services = ['steady', 'stubborn'].map((child) =>
  steadyService({ folder, registry, child, onStart: (pid) => pids.push(pid) }),
);
await Promise.all(services.map((service) => service.start()));
process.stdout.write(`${JSON.stringify(pids)}\n`);
