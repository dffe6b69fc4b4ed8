import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from '../contracts/values/parse-json.ts';
import { isPortTaken } from '../stack/servers/ports.ts';
import type { StackPaths } from './stack-paths.ts';

const portSchema = z.int().min(1).max(65_535);

/** The record that a stack keeps between its runs. */
const recordSchema = z.object({
  workspace: z.string(),
  ports: z.object({
    gateway: portSchema,
    temporal: portSchema,
    temporalUi: portSchema,
    postgres: portSchema,
  }),
});
/** The workspace and the ports of a stack, as `stack.json` has them. */
export type StackRecord = z.infer<typeof recordSchema>;
/** The ports that a stack keeps from one start to the next. */
export type StackPorts = StackRecord['ports'];

/**
 * Returns the record in `file`. Returns undefined if there is none, or if it cannot be read. The next start then writes
 * it anew.
 */
export const readRecord = (file: string): StackRecord | undefined => {
  try {
    return recordSchema.safeParse(parseJson(readFileSync(file, 'utf8'))).data;
  } catch {
    return undefined;
  }
};

/**
 * The range of ports, without its end. It is below the ports that systems use for outgoing connections (Linux from
 * 32768, macOS from 49152), so that a port which a stack keeps stays free.
 */
const FIRST_PORT = 20_000;
const END_PORT = 32_000;

/**
 * Chooses and records the ports of a stack that does not run. A port that the record has is kept, unless another
 * process uses it now.
 */
export const choosePorts = async ({ workspace, recordFile }: StackPaths): Promise<StackPorts> => {
  const formerPorts: Partial<StackPorts> = readRecord(recordFile)?.ports ?? {};
  const chosen = new Set<number>();
  const choosePort = async (formerPort: number | undefined): Promise<number> => {
    const isFree =
      formerPort !== undefined &&
      !chosen.has(formerPort) &&
      !(await isPortTaken({ port: formerPort, host: '127.0.0.1' }));
    const port = isFree ? formerPort : await pickFreePort(chosen);
    chosen.add(port);
    return port;
  };
  // One after the other, so that no two of them are the same port.
  const ports = {
    gateway: await choosePort(formerPorts.gateway),
    temporal: await choosePort(formerPorts.temporal),
    temporalUi: await choosePort(formerPorts.temporalUi),
    postgres: await choosePort(formerPorts.postgres),
  };
  // Renamed into place, so that a reader never sees half a record.
  const temporaryFile = `${recordFile}.${process.pid}.tmp`;
  writeFileSync(temporaryFile, `${JSON.stringify({ workspace, ports }, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(temporaryFile, recordFile);
  return ports;
};

const pickFreePort = async (taken: ReadonlySet<number>): Promise<number> => {
  for (;;) {
    const candidate = randomInt(FIRST_PORT, END_PORT);
    if (taken.has(candidate)) continue;
    if (!(await isPortTaken({ port: candidate, host: '127.0.0.1' }))) return candidate;
  }
};
