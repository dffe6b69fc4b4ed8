import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessEntry, ProcessRole } from '../../src/stack/processes/processes-file.ts';
import type { OrionArm } from './arms/orion-arm.ts';

/** Returns the processes that the supervisor of a stack says it runs. */
export const stackProcesses = async ({ dataDir }: Pick<OrionArm, 'dataDir'>): Promise<ProcessEntry[]> =>
  JSON.parse(await readFile(join(dataDir, 'processes.json'), 'utf8')) as ProcessEntry[];

export const processesOfRole = async (orion: OrionArm, role: ProcessRole): Promise<number[]> =>
  (await stackProcesses(orion)).filter((entry) => entry.role === role).map(({ pid }) => pid);
