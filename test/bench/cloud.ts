import type { Arm } from './arms/arm.ts';
import { startBareArm } from './arms/bare-arm.ts';
import { startOrionArm } from './arms/orion-arm.ts';
import type { Ground } from './ground.ts';
import type { BenchProcesses } from './processes.ts';

/** Milliseconds that every call to Temporal takes longer. */
export const CALL_MS = 20;

/** Orion and the bare workflow with the ground's Temporal server in another zone. */
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
