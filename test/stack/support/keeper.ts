/**
 * A supervisor over the children that its arguments name, for tests that kill it. It prints the pids of the children
 * when all run.
 */
import { join } from 'node:path';
import { createProcessesFile } from '../../../src/stack/processes/processes-file.ts';
import { openReapList } from '../../../src/stack/processes/reap-list.ts';
import { steadyService } from './steady-service.ts';

const [folder = '', ...named] = process.argv.slice(2);
const reapList = await openReapList(join(folder, 'processes.reap'));
const registry = { reapList, processes: createProcessesFile(folder) };
const pids: number[] = [];
const children = named.length > 0 ? named : ['steady', 'stubborn'];
const services = children.map((child) =>
  steadyService({ folder, registry, child, onStart: (pid) => pids.push(pid) }),
);
await Promise.all(services.map((service) => service.start()));
process.stdout.write(`${JSON.stringify(pids)}\n`);
