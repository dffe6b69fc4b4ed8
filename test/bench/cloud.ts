import type { Arm } from './arms/arm.ts';
import { startBareArm } from './arms/bare-arm.ts';
import { startOrionArm } from './arms/orion-arm.ts';
import type { Ground } from './ground.ts';
import type { BenchProcesses } from './processes.ts';

/** The delay in milliseconds that is added to every call to Temporal. */
export const CALL_MS = 20;

/** Starts Orion and the bare workflow on a Temporal server that is as far away as one in another zone. */
export const startCloud = async (
  processes: BenchProcesses,
  { model, temporalAddress }: Pick<Ground, 'model' | 'temporalAddress'>,
): Promise<readonly Arm[]> => {
  const port = await processes.serve({
    name: 'far-temporal',
    role: 'temporal',
    entry: 'test/bench/rivals/far-server.ts',
    args: [temporalAddress, String(CALL_MS)],
  });
  const address = `127.0.0.1:${port}`;
  return Promise.all([
    startBareArm(processes, model, address, 'far-bare'),
    startOrionArm(processes, model, address, { name: 'far-orion', env: {} }),
  ]);
};
